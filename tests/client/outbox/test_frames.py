"""A frame comes back whole or not at all, whatever happened to the file."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from stash_client.outbox.frames import Frame, decode, encode, scan

_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_maps = st.dictionaries(st.text(), _values, max_size=4)
_frames = st.builds(Frame, st.text(), st.text(), _maps, _maps, st.booleans())


def read(data: bytes) -> list[Frame | None]:
    return [frame for _, _, frame in scan(io.BytesIO(data), 0, len(data))]


@given(_frames)
def test_a_frame_is_one_line_and_comes_back_the_same(frame):
    line = encode(frame)
    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")
    assert decode(line) == frame


@given(st.lists(_frames, max_size=5), st.data())
def test_a_torn_tail_costs_the_torn_frame_alone(frames, data):
    whole = b"".join(map(encode, frames))
    cut = data.draw(st.integers(0, len(whole)))
    kept = [frame for frame in read(whole[:cut]) if frame is not None]
    ends = [sum(len(encode(f)) for f in frames[: i + 1]) for i in range(len(frames))]
    assert kept == frames[: sum(end <= cut for end in ends)]


@given(st.lists(_frames, min_size=1, max_size=4), st.data())
def test_a_changed_byte_costs_no_other_frame(frames, data):
    lines = [encode(frame) for frame in frames]
    victim = data.draw(st.integers(0, len(lines) - 1))
    at = data.draw(st.integers(0, len(lines[victim]) - 2))
    changed = bytearray(lines[victim])
    changed[at] ^= data.draw(st.integers(1, 255))
    found = read(b"".join([*lines[:victim], bytes(changed), *lines[victim + 1 :]]))
    assert [frame for frame in found if frame is not None] == frames[:victim] + frames[victim + 1 :]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_as_frames_or_as_damage(data):
    assert b"".join(data[start:end] for start, end, _ in scan(io.BytesIO(data), 0, len(data))) == data


def test_an_unknown_version_is_left_alone():
    assert decode(encode(Frame("lab", "", {}, {})).replace(b'"v":1', b'"v":9')) is None
