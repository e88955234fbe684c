"""What few-shot and retrieval-augmented prompts show: labelled examples of the pool, and knowledge cards of the applications."""

import hashlib
from collections.abc import Mapping, Sequence

from atomic_tasks.catalog import Catalog
from atomic_tasks.seeds import derive_seed
from eval_flows.selection.selectors.language_model import ChoosingSelector, Shown
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.pool import Pool, embedded, pool_index, read_pool
from eval_flows.selection.tasks import Task
from retrieval.cards import card
from retrieval.embedder import Embedder
from retrieval.index import NearestIndex


def few_shot(catalog: Catalog, options: SelectorOptions) -> ChoosingSelector:
    """The few-shot selector: the same k examples for every task, or the k nearest tasks of the pool."""
    pool = read_pool(options)
    if options.choices.example_choice == "nearest":
        selector: ChoosingSelector = NearestExamples(catalog, options, pool)
    else:
        chosen = _fixed(pool, catalog, options)
        selector = ChoosingSelector("few_shot", catalog, options, examples=[_example(task, options) for task in chosen])
        selector.decided_by(seed=options.choices.seed)
    selector.learnt_from = pool.lineage
    selector.decided_by(examples=options.choices.examples, example_choice=options.choices.example_choice, pool=pool.identity)
    return selector


class NearestExamples(ChoosingSelector):
    """Few-shot with the k tasks of the pool that are nearest to the task, the nearest one last, beside the task."""

    def __init__(self, catalog: Catalog, options: SelectorOptions, pool: Pool) -> None:
        super().__init__("few_shot", catalog, options)
        self._embedder = Embedder(options.choices.embedder)
        self._index = pool_index(pool, self._embedder, options)
        self._examples = {task.task_id: _example(task, options) for task in pool.tasks}
        self.decided_by(embedder=self._embedder.identity)

    def show(self, tasks: Sequence[Task]) -> Mapping[str, Shown]:
        """The nearest examples of each task."""
        vectors = embedded([task.text for task in tasks], self._embedder, self.options.note, "finding examples")
        found = self._index.nearest(vectors, self.options.choices.examples)
        return {
            task.task_id: Shown(examples=tuple(self._examples[task_id] for task_id, _ in reversed(near)))
            for task, near in zip(tasks, found, strict=True)
        }


def ras(catalog: Catalog, options: SelectorOptions) -> ChoosingSelector:
    """The retrieval-augmented selector: the cards of all applications, which are the same for every task, or of the k nearest."""
    cards = {name: card(catalog.applications[name]) for name in options.candidates}
    digest = hashlib.blake2b("\n".join(cards.values()).encode(), digest_size=8).hexdigest()
    if options.choices.cards is None:
        selector = ChoosingSelector("ras", catalog, options, cards=[{"name": name, "text": text} for name, text in cards.items()])
    else:
        selector = NearestCards(catalog, options, cards)
    selector.decided_by(cards=options.choices.cards or "all", cards_hash=digest)
    return selector


class NearestCards(ChoosingSelector):
    """Retrieval-augmented selection with the k nearest cards by FAISS."""

    def __init__(self, catalog: Catalog, options: SelectorOptions, cards: Mapping[str, str]) -> None:
        super().__init__("ras", catalog, options)
        self._embedder = Embedder(options.choices.embedder)
        self._cards = {name: {"name": name, "text": text} for name, text in cards.items()}
        self._index = NearestIndex(list(cards), self._embedder.embed(list(cards.values())))
        self.decided_by(embedder=self._embedder.identity)

    def show(self, tasks: Sequence[Task]) -> Mapping[str, Shown]:
        """The nearest cards of each task."""
        vectors = embedded([task.text for task in tasks], self._embedder, self.options.note, "finding cards")
        assert self.options.choices.cards is not None
        return {
            task.task_id: Shown(cards=tuple(self._cards[name] for name, _ in near))
            for task, near in zip(tasks, self._index.nearest(vectors, self.options.choices.cards), strict=True)
        }


def _example(task: Task, options: SelectorOptions) -> dict[str, str]:
    """A labelled task, answered in the form that the prompt asks for."""
    valid = [name for name in task.valid_applications if name in options.candidates]
    best = task.target_application if task.target_application in valid else valid[0]
    many = options.choices.choose == "set"
    names = [str(best), *(name for name in valid if name != best)] if many else [str(best)]
    quoted = [f'"{name}"' for name in names]
    if options.choices.reply == "schema":
        return {"text": task.text, "answer": f'{{"applications": [{", ".join(quoted)}]}}' if many else f'{{"application": {quoted[0]}}}'}
    return {"text": task.text, "answer": ", ".join(names)}


def _fixed(pool: Pool, catalog: Catalog, options: SelectorOptions) -> list[Task]:
    """K tasks of the pool, drawn by the seed, each of another category as long as there are any."""
    drawn = sorted(pool.tasks, key=lambda task: derive_seed("example", options.choices.seed, task.task_id))
    chosen: list[Task] = []
    seen: set[str] = set()
    for task in drawn:
        category = catalog.applications[task.valid_applications[0]].category
        if len(seen) == len(catalog.categories):
            seen.clear()
        if category not in seen and len(chosen) < options.choices.examples:
            seen.add(category)
            chosen.append(task)
    return chosen
