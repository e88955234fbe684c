"""What a model is shown besides the present step: the earlier parts of its conversation, and the size of all pictures.

A server can refuse a request as too much. What is left out then, in which order, and in which words, is decided here alone. The agents that keep a
conversation have their own forms of messages.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from eval_flows.episodes.environment.picture import halved
from language_models.chat import Message
from language_models.errors import Excess

Messages = tuple[Message, ...]
NO_ANSWER = "(no answer)"  # stands where the model said nothing: many servers refuse a message without a text
_MOST_HALVINGS = 2  # a smaller screen cannot be read
_NO_PICTURES = "(The pictures of this step are left out.)"


@dataclass(frozen=True)
class Part:
    """Messages that only make sense together, such as a question and its answer. `step` is that of the answer among them.

    A part that `stays` can lose its pictures, but is never left out.
    """

    step: int
    messages: Messages
    stays: bool = False

    @property
    def has_pictures(self) -> bool:
        """Tell whether it has pictures."""
        return any(message.images for message in self.messages)

    @property
    def without_pictures(self) -> "Part":
        """Return it without pictures; each message says where some were."""
        return replace(self, messages=tuple(map(_without_pictures, self.messages)))


class Context:
    """The parts of a conversation, oldest first. What was left out stays out for the rest of the episode."""

    def __init__(self) -> None:
        """Begin with no earlier part, and with pictures as they are."""
        self._parts: list[Part] = []
        self._left_out = 0  # the last of the first steps that are left out
        self._halvings = 0

    def add(self, part: Part) -> None:
        """Keep a part as the model was shown it."""
        self._parts.append(part)

    def keep(self, parts: int) -> None:
        """Forget all parts but the newest ones."""
        self._parts = self._parts[max(0, len(self._parts) - parts) :]

    def keep_pictures(self, parts: int) -> None:
        """Forget the pictures of all parts but the newest ones that have some."""
        shown = self._with_pictures
        self._forget_pictures(shown[: max(0, len(shown) - parts)])

    def before(self, *now: Message) -> Messages:
        """Return the messages of the earlier parts and then those of now, all with pictures in the present size."""
        for _ in range(self._halvings):
            now = tuple(map(_smaller, now))
        return (*(message for part in self._parts for message in part.messages), *now)

    def told_in(self, rules: str) -> str:
        """Return the rules of a conversation, and after them what the model is told of what it is not shown."""
        told = []
        if self._left_out:
            missing = "Step 1 did not fit and is" if self._left_out == 1 else f"Steps 1 to {self._left_out} did not fit and are"
            told.append(f"{missing} left out.")
        if self._halvings:
            told.append(f"Pictures did not fit: they have 1/{2**self._halvings} of the width and height that they had at first.")
        return "\n\n".join([rules.rstrip(), *told]) if told else rules

    def reduce(self, excess: Excess, refused: Messages) -> str:
        """Show less, since messages were refused as too much, and return how the model is asked again; empty if nothing can be left out any more.

        A request that is too long loses the pictures of earlier steps, then earlier steps, each time the older half; then all pictures become
        smaller. If a picture is too large, that comes first, and then pictures of earlier steps go: some servers take smaller ones where there are
        many.
        """
        if excess == "picture":
            return self._halve(refused) or self._leave_out_pictures()
        return self._leave_out_pictures() or self._leave_out_steps() or self._halve(refused)

    @property
    def _with_pictures(self) -> list[int]:
        return [place for place, part in enumerate(self._parts) if part.has_pictures]

    def _forget_pictures(self, places: Collection[int]) -> None:
        self._parts = [part.without_pictures if place in places else part for place, part in enumerate(self._parts)]

    def _leave_out_pictures(self) -> str:
        older = _older_half(self._with_pictures)
        self._forget_pictures(older)
        return f"without the pictures of {_steps(len(older))}" if older else ""

    def _leave_out_steps(self) -> str:
        older = _older_half([part.step for part in self._parts if not part.stays])
        if not older:
            return ""
        self._left_out = older[-1]
        self._parts = [part for part in self._parts if part.stays or part.step > self._left_out]
        return f"without {_steps(len(older))}"

    def _halve(self, refused: Messages) -> str:
        if self._halvings == _MOST_HALVINGS or not any(message.images for message in refused):
            return ""
        self._halvings += 1
        self._parts = [replace(part, messages=tuple(map(_smaller, part.messages))) for part in self._parts]
        return "with all pictures half as wide and high"


def _older_half(numbers: Sequence[int]) -> Sequence[int]:
    return numbers[: (len(numbers) + 1) // 2]


def _steps(number: int) -> str:
    return f"{number} earlier step{'s' * (number != 1)}"


def _without_pictures(message: Message) -> Message:
    return replace(message, images=(), text=f"{message.text}\n{_NO_PICTURES}".strip()) if message.images else message


def _smaller(message: Message) -> Message:
    return replace(message, images=tuple(map(halved, message.images))) if message.images else message
