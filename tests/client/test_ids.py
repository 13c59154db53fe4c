"""Ids that must come out the same everywhere, from whatever a checkout calls its remote."""

from __future__ import annotations

import pytest

from stash_client.ids import normalise_remote


@pytest.mark.parametrize("hostile", ["http://" + "@" * 100_000, "http://" + "@a" * 100_000, "a@" * 100_000 + ":x"])
def test_a_remote_longer_than_any_address_is_none(hostile):
    assert normalise_remote(hostile) is None


def test_a_remote_at_the_limit_is_read_at_once():
    assert normalise_remote("http://" + "@" * 1993) is None
