"""The parts that fill a template: steps, goal, background and names, drawn once for each text."""

from collections.abc import Sequence
from random import Random

from narrators.material import Material
from narrators.naming import Words
from narrators.styles import Connective, Styles


class Parts:
    """Draws parts by their names in templates. `as_i` says that the template speaks in the first person."""

    def __init__(self, material: Material, styles: Styles, words: Words | None, as_i: bool, random: Random) -> None:
        self.material = material
        self.styles = styles
        self.words = words
        self.as_i = as_i
        self.random = random
        self.steps = range(len(material.steps))

    def draw(self, names: Sequence[str]) -> dict[str, str]:
        """Return the named parts. They are drawn in the order of `names`, which decides the text that a seed gives."""
        return {name: getattr(self, name)() for name in names}

    def chain(self) -> str:
        """Return every step as a clause."""
        return self._joined(self.steps)

    def chain_sentence(self) -> str:
        """Return the chain as the beginning of a sentence."""
        return capitalized(self.chain())

    def lead(self) -> str:
        """Return the first step as a sentence."""
        return self.material.said(0, self.random.choice(self.material.forms[0].sentences))

    first = lead

    def rest(self) -> str:
        """Return every step except the first as a clause."""
        return self._joined(self.steps[1:])

    def goal(self) -> str:
        """Return the goal as a clause."""
        return self.random.choice(self.material.goal.clauses_for(self.as_i))

    def goal_sentence(self) -> str:
        """Return the goal as a sentence."""
        return self.random.choice(self.material.goal.sentences)

    def goal_fragment(self) -> str:
        """Return the goal as a fragment."""
        return self.random.choice(self.material.goal_fragments)

    def fragment(self) -> str:
        """Return the only step as a fragment."""
        return self.material.said(0, self.random.choice(self.material.fragments))

    def background(self) -> str:
        """Return the background that comes before the ask."""
        return self.random.choice(self.material.backgrounds)

    def deadline(self) -> str:
        """Return the time by which the task must be done."""
        return self.random.choice(self.styles.deadlines)

    def application(self) -> str:
        """Return the placeholder of the application's name, which is filled at the end."""
        return "{application}"

    def place(self) -> str:
        """Return words for the kind of application, such as "in my browser"."""
        return self.words.text if self.words else ""

    def _joined(self, steps: Sequence[int]) -> str:
        """Return the steps as clauses, joined by a connective that reads well between them."""
        material = self.material
        clauses = [material.said(number, self.random.choice(material.forms[number].clauses_for(self.as_i))) for number in steps]
        if len(clauses) == 1:
            return clauses[0]
        intricate = any("," in clause or " and " in clause for clause in clauses)
        fitting = [connective for connective in self.styles.connectives if _joins(connective, len(clauses), intricate)]
        connective = self.random.choice(fitting)
        return connective.between.join(clauses[:-1]) + connective.last + clauses[-1]


def capitalized(text: str) -> str:
    """Return the text with a capital first letter. A placeholder keeps the case of its value."""
    return text[:1].upper() + text[1:]


def _joins(connective: Connective, clauses: int, intricate: bool) -> bool:
    return connective.at_least <= clauses <= connective.at_most and not (intricate and connective.plain)
