"""The shapes of a command line over HTTP."""

from __future__ import annotations

import base64
from typing import Any

from rest_framework import serializers

from stash.vfs.shell import Outcome
from stash.vfs.shell.grammar import MOST_BYTES


class CommandLine(serializers.Serializer[Any]):
    command = serializers.CharField(
        max_length=MOST_BYTES, trim_whitespace=False, allow_blank=True, help_text="As typed in a shell."
    )
    cwd = serializers.CharField(required=False, default="/", max_length=4096, trim_whitespace=False)


class OutcomeObject(serializers.Serializer[Any]):
    stdout = serializers.CharField()
    stdout_base64 = serializers.CharField(required=False, help_text="The same bytes, where they are no UTF-8.")
    stderr = serializers.CharField()
    exit_code = serializers.IntegerField()
    cwd = serializers.CharField(help_text="Where cd has led; give it with the next command.")
    truncated = serializers.BooleanField(help_text="Something ran out: time, rows or bytes. stderr says what.")


def outcome_object(outcome: Outcome) -> dict[str, Any]:
    told: dict[str, Any] = {
        "stdout": outcome.stdout.decode("utf-8", "replace"),
        "stderr": outcome.stderr.encode("utf-8", "replace").decode(),
        "exit_code": outcome.exit_code,
        "cwd": outcome.cwd,
        "truncated": outcome.truncated,
    }
    if told["stdout"].encode() != outcome.stdout:
        told["stdout_base64"] = base64.b64encode(outcome.stdout).decode()
    return told
