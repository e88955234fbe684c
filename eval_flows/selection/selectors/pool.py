"""The pool of labelled tasks that few-shot examples, `knn` and `linear` learn from: a train split, and its sentence embeddings."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from atomic_tasks.problems import BadInput
from eval_flows.selection.selectors.options import Note, SelectorOptions
from eval_flows.selection.tasks import Task, scored_tasks
from retrieval.embedder import Embedder, Vectors
from retrieval.index import NearestIndex
from warehouse.layout import fetch, written_file

_MOST = 10_000  # tasks; more of them take minutes to embed and add hardly any accuracy
_PIECE = 512


@dataclass(frozen=True)
class Pool:
    """Labelled tasks, each valid for at least one candidate."""

    tasks: tuple[Task, ...]
    dataset_id: str

    @property
    def lineage(self) -> frozenset[str]:
        """Return the lineage of the pool's tasks, to be compared with that of scored tasks."""
        return frozenset().union(*(task.lineage for task in self.tasks))

    @property
    def identity(self) -> str:
        """Return a text with a hash of the tasks, for a run's identity."""
        digest = hashlib.blake2b("\n".join(task.task_id for task in self.tasks).encode(), digest_size=8).hexdigest()
        return f"{len(self.tasks)} tasks of {self.dataset_id} ({digest})"

    @cached_property
    def by_id(self) -> dict[str, Task]:
        """Return the tasks by their ids."""
        return {task.task_id: task for task in self.tasks}


def read_pool(options: SelectorOptions) -> Pool:
    """Return the first tasks of the pool's train split, in the fixed order; BadInput if there are none."""
    candidates = set(options.candidates)
    tasks = [task for task in scored_tasks(options.pool, "train") if candidates & set(task.valid_applications)][:_MOST]
    if not tasks:
        raise BadInput(
            f"dataset '{options.pool.name}' has no train split to learn from: name another dataset with --pool (deskmill build demo; --pool demo)"
        )
    return Pool(tuple(tasks), options.pool.dataset_id)


def pool_index(pool: Pool, embedder: Embedder, options: SelectorOptions) -> NearestIndex:
    """Return an index that finds the pool's tasks with the nearest texts."""
    return NearestIndex([task.task_id for task in pool.tasks], pool_vectors(pool, embedder, options))


def pool_vectors(pool: Pool, embedder: Embedder, options: SelectorOptions) -> Vectors:
    """Return the embeddings of the pool's texts, shape (tasks, dimensions); they take minutes, so they are kept on disk."""
    identity = hashlib.blake2b(f"{embedder.identity}\n{pool.identity}".encode(), digest_size=16).hexdigest()
    path = options.vectors / f"{identity}.npy"
    fetch(path)
    if not path.is_file():
        vectors = embedded([task.text for task in pool.tasks], embedder, options.note, "embedding the pool")
        with written_file(path) as temporary, temporary.open("wb") as file:
            np.save(file, vectors)
    return np.asarray(np.load(path), dtype=np.float32)


def embedded(texts: Sequence[str], embedder: Embedder, note: Note, stage: str) -> Vectors:
    """Return the embeddings of the texts, and show progress."""
    pieces = []
    for first in range(0, len(texts), _PIECE):
        pieces.append(embedder.embed(texts[first : first + _PIECE]))
        note(stage, min(first + _PIECE, len(texts)), len(texts))
    return np.concatenate(pieces)
