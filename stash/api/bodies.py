"""Request bodies with limits: read in pieces, gzip undone in pieces, refused with a problem that names the limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from django.conf import settings
from django.http import HttpRequest, UnreadablePostError

from stash.errors import BadRequest, StashError, TooLarge

_PIECE = 64 * 1024


class UnsupportedEncoding(StashError):
    code, status, title = "unsupported_encoding", 415, "This content encoding is not read here"


def read_body(request: HttpRequest, *, most: int | None = None, unpacked: int | None = None) -> bytes:
    """The whole body, unpacked. Raises TooLarge above the limits (bytes), BadRequest for damaged gzip."""
    pieces = chunks(request, most=most or settings.MAX_BODY, unpacked=unpacked or settings.MAX_UNPACKED)
    return b"".join(pieces)


def chunks(request: HttpRequest, *, most: int, unpacked: int) -> Iterator[bytes]:
    """The body in pieces, unpacked as it comes; memory stays bounded whatever was sent."""
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise UnsupportedEncoding("Bodies may be sent as they are or with gzip.")
    raw = _limited(_raw(request), most)
    return _limited(_gunzip(raw), unpacked) if encoding.endswith("gzip") else raw


def lines(pieces: Iterator[bytes], *, longest: int) -> Iterator[bytes]:
    """The lines of a stream, without their ends; one longer than ``longest`` bytes is passed on cut."""
    line = bytearray()
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            line += piece[start : min(end, start + longest - len(line))]
            yield bytes(line)
            line.clear()
            start = end + 1
        line += piece[start : start + longest - len(line)]
    if line:
        yield bytes(line)


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
    """Any number of members one after the other, as gzip itself reads them; zeros may fill the end."""
    undo = zlib.decompressobj(wbits=31)
    started = False
    try:
        for piece in pieces:
            while piece:
                if undo.eof:
                    piece = piece.lstrip(b"\0")
                    if not piece:
                        break
                    undo = zlib.decompressobj(wbits=31)
                started = True
                yield undo.decompress(piece, _PIECE * 16)
                piece = undo.unused_data if undo.eof else undo.unconsumed_tail
        yield undo.flush()
    except zlib.error:
        raise BadRequest("The body is not valid gzip.", code="bad_gzip") from None
    if not started or not undo.eof:
        raise BadRequest("The gzip body ended early.", code="bad_gzip")
