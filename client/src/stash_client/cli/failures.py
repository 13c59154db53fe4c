"""Refusals, dead lines and full disks in words, each with its exit code; anything else is a fault of ours."""

from __future__ import annotations

from stash_client.api.errors import Ambiguous, NoAccount, Refused, Unreachable
from stash_client.cli.output import NOT_ALLOWED, NOT_FOUND, UNREACHABLE, USAGE, Failed

_BY_STATUS = {401: NOT_ALLOWED, 403: NOT_ALLOWED, 404: NOT_FOUND}
_HINTS = {401: "The key is not valid (any more). Run: stash signin", 403: "This key or role does not allow it."}


def failure_of(fault: Exception) -> Failed | None:
    if isinstance(fault, Unreachable):
        hint = "Set SSL_CERT_FILE to your authority's certificate." if "certificate" in str(fault).lower() else ""
        return Failed(f"The server does not answer: {fault}.", hint=hint, code="unreachable", exit_code=UNREACHABLE)
    if isinstance(fault, Refused):
        hint = _HINTS.get(fault.status, "")
        return Failed(str(fault), hint=hint, code=fault.code, exit_code=_BY_STATUS.get(fault.status, 1))
    if isinstance(fault, NoAccount):
        about = f" to {fault.label!r}" if fault.label else ""
        return Failed(
            f"This machine is not signed in{about}.",
            hint="Run: stash signin URL",
            code="not_signed_in",
            exit_code=NOT_ALLOWED,
        )
    if isinstance(fault, Ambiguous):
        ids = ", ".join(fault.candidates[:5])
        return Failed(f"{fault}.", hint=f"Give more of it: {ids}", code="ambiguous", exit_code=USAGE)
    if isinstance(fault, OSError) and fault.filename:
        return Failed(f"{fault.filename}: {fault.strerror}.", code="file")
    return None
