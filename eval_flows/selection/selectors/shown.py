"""Few-shot and retrieval-augmented prompts: labelled examples of the pool, and knowledge cards of the applications."""

from collections import Counter
from collections.abc import Mapping, Sequence

from atomic_tasks.catalog import Catalog
from atomic_tasks.pinned import Candidates
from atomic_tasks.problems import BadInput
from atomic_tasks.seeds import derive_seed
from eval_flows.selection.selectors.language_model import ChoosingSelector, Shown
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.pool import Pool, embedded, pool_index, read_pool
from eval_flows.selection.tasks import Task
from retrieval.cards import card, cards_hash
from retrieval.embedder import Embedder
from retrieval.index import NearestIndex


def few_shot(options: SelectorOptions) -> ChoosingSelector:
    """Return the few-shot selector: the same k examples for every task, or the k nearest of the pool. BadInput if the pool holds fewer."""
    pool = read_pool(options)
    if len(pool.tasks) < options.choices.examples:
        there = len(pool.tasks)
        raise BadInput(f"the pool of dataset '{options.pool.name}' holds {there} tasks, and no more can be shown (--examples {there})")
    if options.choices.example_choice == "nearest":
        selector: ChoosingSelector = NearestExamples(options, pool)
    else:
        chosen = _fixed(pool, options)
        selector = ChoosingSelector("few_shot", options, examples=[_example(task, options) for task in chosen])
        selector.decided_by(seed=options.choices.seed)
    selector.learnt_from = pool.lineage
    selector.decided_by(examples=options.choices.examples, example_choice=options.choices.example_choice, pool=pool.identity)
    return selector


class NearestExamples(ChoosingSelector):
    """Few-shot with the k tasks of the pool that are nearest to the task; the nearest one comes last, next to the task."""

    def __init__(self, options: SelectorOptions, pool: Pool) -> None:
        super().__init__("few_shot", options)
        self._embedder = Embedder(options.choices.embedder)
        self._index = pool_index(pool, self._embedder, options)
        self._examples = {task.task_id: _example(task, options) for task in pool.tasks}
        self.decided_by(embedder=self._embedder.identity)

    def show(self, tasks: Sequence[Task]) -> Mapping[str, Shown]:
        """Return the nearest examples of each task."""
        vectors = embedded([task.text for task in tasks], self._embedder, self.options.note, "finding examples")
        found = self._index.nearest(vectors, self.options.choices.examples)
        return {
            task.task_id: Shown(examples=tuple(self._examples[task_id] for task_id, _ in reversed(near)))
            for task, near in zip(tasks, found, strict=True)
        }


def ras(catalog: Catalog, options: SelectorOptions) -> ChoosingSelector:
    """Return the retrieval-augmented selector: with the cards of all applications for every task, or with the k nearest."""
    cards = cards_of(catalog, options.candidates)
    if options.choices.cards is None:
        selector = ChoosingSelector("ras", options, cards=[{"name": name, "text": text} for name, text in cards.items()])
    else:
        selector = NearestCards(options, cards)
    selector.decided_by(cards=options.choices.cards or "all", cards_hash=cards_hash(cards))
    return selector


def cards_of(catalog: Catalog, candidates: Candidates) -> dict[str, str]:
    """The knowledge card of each candidate, from the catalog as it is now; BadInput where a candidate is no longer there."""
    gone = [name for name in candidates if name not in catalog.applications]
    if gone:
        raise BadInput(f"the catalog has no knowledge card of {', '.join(gone)}, a candidate of the dataset: choose a protocol without cards")
    return {name: card(catalog.applications[name]) for name in candidates}


class NearestCards(ChoosingSelector):
    """Retrieval-augmented selection with the k nearest cards by FAISS."""

    def __init__(self, options: SelectorOptions, cards: Mapping[str, str]) -> None:
        super().__init__("ras", options)
        self._embedder = Embedder(options.choices.embedder)
        self._cards = {name: {"name": name, "text": text} for name, text in cards.items()}
        self._index = NearestIndex(list(cards), self._embedder.embed(list(cards.values())))
        self.decided_by(embedder=self._embedder.identity)

    def show(self, tasks: Sequence[Task]) -> Mapping[str, Shown]:
        """Return the nearest cards of each task."""
        vectors = embedded([task.text for task in tasks], self._embedder, self.options.note, "finding cards")
        assert self.options.choices.cards is not None
        return {
            task.task_id: Shown(cards=tuple(self._cards[name] for name, _ in near))
            for task, near in zip(tasks, self._index.nearest(vectors, self.options.choices.cards), strict=True)
        }


def _example(task: Task, options: SelectorOptions) -> dict[str, str]:
    """Return a labelled task with its answer in the form that the prompt asks for."""
    best = _answer(task, options)
    many = options.choices.choose == "set"
    names = [best, *(name for name in task.valid_applications if name in options.candidates and name != best)] if many else [best]
    quoted = [f'"{name}"' for name in names]
    if options.choices.reply == "schema":
        return {"text": task.text, "answer": f'{{"applications": [{", ".join(quoted)}]}}' if many else f'{{"application": {quoted[0]}}}'}
    return {"text": task.text, "answer": ", ".join(names)}


def _answer(task: Task, options: SelectorOptions) -> str:
    """Return the best answer to a task of the pool: its target if that is a candidate, else its first valid candidate."""
    valid = [name for name in task.valid_applications if name in options.candidates]
    return task.target_application if task.target_application in valid else valid[0]


def _fixed(pool: Pool, options: SelectorOptions) -> list[Task]:
    """Return k tasks of the pool, drawn by the seed. Categories take turns, so that each has one example before any has two."""
    drawn = sorted(pool.tasks, key=lambda task: derive_seed("example", options.choices.seed, task.task_id))
    turns: Counter[str] = Counter()
    turn_of: dict[str, int] = {}
    for task in drawn:
        category = options.candidates[_answer(task, options)].category
        turn_of[task.task_id] = turns[category]
        turns[category] += 1
    return sorted(drawn, key=lambda task: turn_of[task.task_id])[: options.choices.examples]
