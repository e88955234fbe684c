"""Sentence embeddings by sentence-transformers. The default model comes in a package and needs no network. A model folder can take its place."""

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml

from atomic_tasks.problems import BadInput, suggestion

DEFAULT_EMBEDDER = "all-MiniLM-L6-v2"
Vectors = npt.NDArray[np.float32]
_EMBEDDERS_FILE = Path(__file__).parent / "embedders.yaml"


class Embedder:
    """Turns texts into unit vectors: float32, shape (texts, dimensions)."""

    def __init__(self, name: str = DEFAULT_EMBEDDER) -> None:
        """Open a model. `name` is a name of embedders.yaml, or the folder of a sentence-transformers model."""
        folder = Path(name) if Path(name).is_dir() else _packaged_folder(name)
        self.identity = f"{name}:{_sha256(folder / 'model.safetensors')[:16]}"
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        quiet: Any = logging
        quiet.disable_progress_bar()
        self._model: Any = SentenceTransformer(str(folder), device="cpu")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vectors of the texts."""
        vectors = self._model.encode(list(texts), batch_size=64, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)


def _packaged_folder(name: str) -> Path:
    """Return the folder of a declared embedder, once its hash is checked."""
    declared = yaml.safe_load(_EMBEDDERS_FILE.read_text())["embedders"]
    if name not in declared:
        known = ", ".join(declared)
        raise BadInput(f"no embedder '{name}'{suggestion(name, declared)} (packaged: {known}; or give a model's folder)")
    entry = declared[name]
    found = importlib.util.find_spec(entry["package"])
    if found is None or found.origin is None:
        raise BadInput(f"embedder '{name}' needs the package {entry['package'].replace('_', '-')}: install it with pip")
    folder = Path(found.origin).parent / str(entry["folder"])
    if _sha256(folder / "model.safetensors") != entry["sha256"]:
        raise BadInput(f"the model of embedder '{name}' in {folder} is not the one pinned in {_EMBEDDERS_FILE.name}: reinstall its package")
    return folder


def _sha256(path: Path) -> str:
    if not path.is_file():
        raise BadInput(f"{path} is missing: give the folder of a sentence-transformers model with safetensors weights")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
