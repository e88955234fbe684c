"""The candidates of a dataset as they were when it was built, so that what the catalog says later changes no prompt and no score of it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from atomic_tasks.catalog import Catalog


class Candidate(BaseModel):
    """An application that can be chosen, with all that prompts, parsers and confusions take of it."""

    model_config = ConfigDict(frozen=True)
    application: str
    title: str
    aliases: tuple[str, ...]
    category: str
    also_in: tuple[str, ...]

    @property
    def categories(self) -> tuple[str, ...]:
        """The primary category, then the further ones."""
        return (self.category, *self.also_in)


class Candidates(Mapping[str, Candidate]):
    """The candidates by name, in the order of their list, and the categories in the catalog's order."""

    def __init__(self, candidates: Iterable[Candidate], categories: Iterable[str]) -> None:
        self._by_name = {candidate.application: candidate for candidate in candidates}
        self.categories = tuple(categories)

    def __getitem__(self, name: str) -> Candidate:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def described(self) -> dict[str, Any]:
        """What a manifest holds of them; `pinned_candidates` reads it again."""
        return {"categories": list(self.categories), "applications": [candidate.model_dump(mode="json") for candidate in self.values()]}


def candidates_of(catalog: Catalog, candidate_list: str) -> Candidates:
    """The candidates of a list as the catalog has them now."""
    applications = (catalog.applications[name] for name in catalog.candidates[candidate_list].applications)
    return Candidates((Candidate.model_validate(each, from_attributes=True) for each in applications), catalog.categories)


def pinned_candidates(described: Mapping[str, Any]) -> Candidates:
    """The candidates that a manifest holds."""
    return Candidates(map(Candidate.model_validate, described["applications"]), described["categories"])
