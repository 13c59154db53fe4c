"""A queue forgets nothing that is not finished, and keeps its order, over any number of lives."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stash_client.outbox.frames import encode
from stash_client.outbox.queue import Queue
from tests.client.outbox.frames import prompt, texts


def put(queue: Queue, *words: str, **facts) -> None:
    queue.append([encode(prompt(word, **facts)) for word in words])
    queue.publish()


def lend(queue: Queue, most: int = 1000, **facts):
    return queue.waiting(most=most, most_bytes=1 << 30, **facts)


def waiting(queue: Queue) -> list[str]:
    return texts(entry.frame for entry in queue.entries())


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "queue"


def test_what_is_finished_is_gone_in_the_next_life_too(folder):
    first = Queue(folder)
    put(first, "one", "two", "three")
    first.finish(lend(first, most=2))
    assert (waiting(first), waiting(Queue(folder))) == (["three"], ["three"])


def test_frames_are_lent_only_once_they_are_published(folder):
    queue = Queue(folder)
    queue.append([encode(prompt("one"))])
    assert lend(queue) == []
    queue.publish()
    assert texts(e.frame for e in lend(queue)) == ["one"]


def test_finishing_in_another_order_is_remembered(folder):
    queue = Queue(folder)
    put(queue, "one", "two", "three")
    queue.finish([lend(queue)[1]])
    assert (waiting(queue), waiting(Queue(folder))) == (["one", "three"], ["one", "three"])


def test_only_some_may_be_lent(folder):
    queue = Queue(folder)
    put(queue, "one", place="/shop")
    put(queue, "two", place="/tools")
    assert texts(e.frame for e in lend(queue, only=lambda frame: frame.place == "/tools")) == ["two"]


def test_finished_segments_are_deleted(folder):
    queue = Queue(folder, segment_bytes=1000)
    for word in "abcdefgh":
        put(queue, word * 1000)
    assert len(list(folder.glob("*.frames"))) == 8
    queue.finish(lend(queue))
    queue.close()
    assert [path.name for path in folder.iterdir()] == ["cursor.json"]


def test_a_number_is_never_used_again(folder):
    for word in ("one", "two", "three"):
        queue = Queue(folder)
        put(queue, word)
        assert waiting(queue) == [word]
        queue.finish(lend(queue))
        queue.close()


def test_a_batch_is_bounded_by_bytes_but_never_empty(folder):
    queue = Queue(folder)
    put(queue, "a" * 5000, "b" * 5000)
    assert len(queue.waiting(most=10, most_bytes=100)) == 1


def test_a_torn_tail_is_passed_over_and_written_elsewhere(folder):
    put(Queue(folder), "one")
    [segment] = folder.glob("*.frames")
    with segment.open("ab") as file:
        file.write(encode(prompt("torn"))[:40])
    queue = Queue(folder)
    put(queue, "two")
    assert waiting(queue) == ["one", "two"]
    queue.finish(lend(queue))
    assert waiting(Queue(folder)) == []


def test_a_lost_or_broken_cursor_means_sending_again(folder):
    queue = Queue(folder)
    put(queue, "one", "two")
    queue.finish(lend(queue, most=1))
    (folder / "cursor.json").write_bytes(b"\0\0\0")
    assert waiting(Queue(folder)) == ["one", "two"]


def test_rewriting_keeps_what_waits_and_not_what_is_finished(folder):
    queue = Queue(folder)
    put(queue, "one", "two", "three", "four")
    queue.finish(lend(queue)[:1])
    queue.release()
    queue.rewrite(lambda frame: None if frame.event["text"] == "three" else frame)
    assert (waiting(queue), waiting(Queue(folder))) == (["two", "four"], ["two", "four"])
    put(queue, "five")
    queue.finish(lend(queue, most=2))
    assert waiting(Queue(folder)) == ["five"]


def test_what_is_under_way_is_not_rewritten(folder):
    queue = Queue(folder)
    put(queue, "one")
    lend(queue)
    queue.rewrite(lambda frame: None)
    assert waiting(queue) == ["one"]
    queue.release()
    queue.rewrite(lambda frame: None)
    assert waiting(queue) == []


def test_after_a_kill_between_two_generations_the_newer_counts(folder):
    queue = Queue(folder)
    put(queue, "one", "two")
    [old] = folder.glob("*.frames")
    data = old.read_bytes()
    queue.rewrite(lambda frame: None if frame.event["text"] == "one" else frame)
    old.write_bytes(data)
    again = Queue(folder)
    assert waiting(again) == ["two"]
    put(again, "three")
    assert not old.exists()


def test_a_full_disk_leaves_nothing_half_written(folder):
    """A limit on the size of files stands for the disk: the write stops in the middle of a frame."""
    script = f"""
import errno, resource, signal
from pathlib import Path
from stash_client.outbox.frames import encode
from stash_client.outbox.queue import Queue
from tests.client.outbox.frames import prompt
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
queue = Queue(Path({str(folder)!r}))
queue.append([encode(prompt("one"))])
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
try:
    queue.append([encode(prompt("two" * 2000))])
except OSError as error:
    assert error.errno == errno.EFBIG, error
else:
    raise AssertionError("it fitted")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
queue.append([encode(prompt("three"))])
"""
    done = subprocess.run([sys.executable, "-c", script], env=_environ(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    queue = Queue(folder)
    assert (waiting(queue), queue.damaged) == (["one", "three"], 0)


def _environ() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError) as caught:
        put(Queue(tmp_path / "file" / "queue"), "one")
    assert caught.value.errno in (errno.ENOTDIR, errno.EEXIST)


_steps = st.lists(
    st.tuples(st.sampled_from(["put", "finish", "finish_one", "restart", "close", "drop"]), st.integers(0, 7)),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(_steps)
def test_any_history_leaves_exactly_what_is_not_finished(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("any") / "queue"
    queue, expected, number = Queue(folder, segment_bytes=600), [], 0
    for step, count in steps:
        if step == "put":
            words = [f"{number + i}" for i in range(count)]
            put(queue, *words)
            expected += words
            number += count
        elif step == "finish":
            queue.finish(lend(queue, most=count or 1))
            queue.release()
            del expected[: count or 1]
        elif step == "finish_one" and expected:
            at = count % len(expected)
            queue.finish([lend(queue)[at]])
            queue.release()
            del expected[at]
        elif step == "drop" and expected:
            victim = expected.pop(count % len(expected))
            queue.rewrite(lambda frame, v=victim: None if frame.event["text"] == v else frame)
        elif step in ("restart", "close"):
            if step == "close":
                queue.close()
            queue = Queue(folder, segment_bytes=600)
        assert waiting(queue) == expected
