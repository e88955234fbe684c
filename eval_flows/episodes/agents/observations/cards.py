"""The source `cards`: what is known of each application of the suite."""

from dataclasses import dataclass

from atomic_tasks.catalog import sound_catalog
from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.observation_source import Asked, Shown
from eval_flows.episodes.tasks.suite import tasks_of


@dataclass(frozen=True)
class Cards:
    """Tells the cards."""

    content: str
    wants = frozenset[str]()
    about = ("What is known of the programs.",)

    def show(self, situation: Situation) -> Shown:
        """Return the cards."""
        return Shown(f"What is known of the programs:\n{self.content}")


def cards(asked: Asked) -> Cards:
    """Return the source with a card for each application of the suite: what it is, and what it can do."""
    catalog = sound_catalog()
    names = {name for task in tasks_of(asked.suite) for name in task.applications}
    found = [catalog.applications[name] for name in sorted(names & set(catalog.applications))]  # imported tasks may have others
    told = [f"- {card.program or card.application} ({card.title}): {card.description} It has {', '.join(card.features)}." for card in found]
    return Cards("\n".join(told))
