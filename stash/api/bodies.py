"""Request bodies with limits: read in pieces, gzip undone in pieces, refused with a problem that names the limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from django.conf import settings
from django.http import HttpRequest, UnreadablePostError

from stash.errors import BadRequest, TooLarge

_PIECE = 64 * 1024


def read_body(request: HttpRequest, *, most: int | None = None, unpacked: int | None = None) -> bytes:
    """The whole body, unpacked. Raises TooLarge above the limits (bytes), BadRequest for damaged gzip."""
    pieces = chunks(request, most=most or settings.MAX_BODY, unpacked=unpacked or settings.MAX_UNPACKED)
    return b"".join(pieces)


def chunks(request: HttpRequest, *, most: int, unpacked: int) -> Iterator[bytes]:
    """The body in pieces, unpacked as it comes; memory stays bounded whatever was sent."""
    raw = _limited(_raw(request), most)
    if request.headers.get("Content-Encoding", "").lower() == "gzip":
        raw = _limited(_gunzip(raw), unpacked)
    return raw


def lines(pieces: Iterator[bytes], *, longest: int) -> Iterator[bytes]:
    """The lines of a stream, without their ends; one longer than ``longest`` bytes is passed on cut."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line[:longest]
        rest = rest[:longest]
    if rest:
        yield rest


def _raw(request: HttpRequest) -> Iterator[bytes]:
    try:
        while piece := request.read(_PIECE):
            yield piece
    except UnreadablePostError:
        raise BadRequest("The request ended early.", code="incomplete") from None


def _limited(pieces: Iterator[bytes], most: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > most:
            raise TooLarge(f"The body may have at most {most} bytes.", limit=most)
        yield piece


def _gunzip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    undo = zlib.decompressobj(wbits=31)
    try:
        for piece in pieces:
            while piece:
                yield undo.decompress(piece, _PIECE * 16)
                piece = undo.unconsumed_tail
        yield undo.flush()
    except zlib.error:
        raise BadRequest("The body is not valid gzip.", code="bad_gzip") from None
    if not undo.eof:
        raise BadRequest("The gzip body ended early.", code="bad_gzip")
