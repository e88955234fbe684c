"""The rates at which a dataset is narrated. Recipes declare them."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator


def some_weight(weights: Mapping[object, float]) -> Mapping[object, float]:
    """Return the weights. Raise ValueError if all are 0."""
    if not any(weights.values()):
        raise ValueError("every weight is 0, so nothing can be drawn: give at least one a weight above 0")
    return weights


def _low_to_high(ends: tuple[float, float]) -> tuple[float, float]:
    low, high = ends
    if not 0 <= low <= high <= 1:
        raise ValueError(f"a drop-out range must go from low to high between 0 and 1, not from {low} to {high}")
    return ends


Weight = Annotated[float, Field(ge=0)]
Range = Annotated[tuple[float, float], AfterValidator(_low_to_high)]


class NamingRates(BaseModel):
    """How often a text says which application is meant, at each level. The other texts name nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    application: float = Field(ge=0, le=1, description="by its name")
    kind: float = Field(ge=0, le=1, description="by its kind of program, where people have a word for the kind")
    vendor: float = Field(ge=0, le=1, description="by kind and maker, where people know the maker")

    @model_validator(mode="after")
    def _at_most_all(self) -> "NamingRates":
        if self.application + self.kind + self.vendor > 1:
            raise ValueError("the rates of naming add up to more than 1: lower them; the rest up to 1 is the share of texts that name nothing")
        return self


class NarrationRates(BaseModel):
    """Weights of styles, and probabilities for each text."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    drop_out: Range = Field(description="range from which the drop-out rate of a text is drawn")
    generic_drop_out: Range = Field(description="the same range for generic steps (opening, saving), which people seldom say")
    most_said_steps: int = Field(ge=1, description="the most steps that a text says, unless it needs more to say one step of each application")
    naming: NamingRates
    goal: float = Field(ge=0, le=1, description="how often a text of a workflow within one application says its goal instead of its steps")
    rewordings: float = Field(0, ge=0, le=1, description="how often a text that has rewordings is one of them, as its voice writes it")
    references: float = Field(ge=0, le=1, description="how often a text refers to a value that it said before (that file) instead of saying it again")
    voices: Annotated[dict[str, Weight], AfterValidator(some_weight)] = Field(description="weight of each voice of narrators/styles.yaml")
    styles: Annotated[dict[str, Weight], AfterValidator(some_weight)] = Field(
        description="weight of each style of narrators/styles.yaml, among the styles that fit a text"
    )
