"""Options of agents: an agent declares them as a model, and each run holds the values that it was given.

An agent with options has a class attribute `options`, a subclass of `AgentOptions` whose fields have types, bounds, defaults and words:

    class HaikuOptions(AgentOptions):
        lines: int = Field(3, ge=1, le=9, description="lines that it writes before it acts")
"""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from atomic_tasks.form_mistakes import form_mistakes
from atomic_tasks.problems import BadInput, suggestion

Values = Mapping[str, str | int | float | bool]


class AgentOptions(BaseModel):
    """The options of an agent; this class itself is that of agents without any. Every field has a default and a description."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def read(cls, agent: str, given: Values) -> Self:
        """Return the options from the given values, which may be texts; BadInput names every unknown option and bad value, and what there is."""
        unknown = [f"agent '{agent}' has no option '{name}'{suggestion(name, cls.model_fields)}" for name in given if name not in cls.model_fields]
        try:
            if not unknown:
                return cls.model_validate(dict(given))
            bad = unknown
        except ValidationError as error:
            bad = list(dict.fromkeys(f"option '{place[0]}' of agent '{agent}': {reason}" for place, reason in form_mistakes(error, cls)))
        raise BadInput("\n".join([*bad, cls._listed(agent)]))

    @property
    def chosen(self) -> dict[str, Any]:
        """Return the values that are not the defaults."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @classmethod
    def _listed(cls, agent: str) -> str:
        told = [f"{name} ({field.description}; default {field.default})" for name, field in cls.model_fields.items()]
        return f"its options: {'; '.join(told)}" if told else f"agent '{agent}' has no options"
