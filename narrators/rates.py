"""The rates at which a dataset is narrated; recipes state them."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator


def some_weight(weights: Mapping[object, float]) -> Mapping[object, float]:
    """The weights, if anything can be drawn by them; ValueError otherwise."""
    if not any(weights.values()):
        raise ValueError("every weight is 0, so that nothing can be drawn: give at least one of them a weight")
    return weights


def _low_to_high(ends: tuple[float, float]) -> tuple[float, float]:
    low, high = ends
    if not 0 <= low <= high <= 1:
        raise ValueError(f"a drop-out range goes from low to high between 0 and 1, not from {low} to {high}")
    return ends


Weight = Annotated[float, Field(ge=0)]
Range = Annotated[tuple[float, float], AfterValidator(_low_to_high)]


class NamingRates(BaseModel):
    """How often a text says which application is meant; else it names nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    application: float = Field(ge=0, le=1, description="by its name")
    kind: float = Field(ge=0, le=1, description="by the kind of program that it is, where people have a word for that")
    vendor: float = Field(ge=0, le=1, description="by kind and maker, where people know the maker")

    @model_validator(mode="after")
    def _at_most_all(self) -> "NamingRates":
        if self.application + self.kind + self.vendor > 1:
            raise ValueError("the rates of naming add up to more than 1; what is left of 1 is the share that names nothing")
        return self


class NarrationRates(BaseModel):
    """Weights of styles and probabilities, all of one text."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    drop_out: Range = Field(description="the range from which a text's drop-out rate is drawn")
    generic_drop_out: Range = Field(description="the same for generic steps (opening, saving), which people seldom say")
    most_said_steps: int = Field(ge=1, description="the most steps that a text says, unless more applications take part")
    naming: NamingRates
    lower_case: float = Field(ge=0, le=1, description="how often a text starts in lower case, without a final period")
    end_punctuation: float = Field(ge=0, le=1, description="how often a bare command ends in a period")
    typos: float = Field(ge=0, le=1, description="how often one ordinary word of the text is mistyped")
    references: float = Field(ge=0, le=1, description="how often a value that was said already is referred to (that file) instead of said again")
    styles: Annotated[dict[str, Weight], AfterValidator(some_weight)] = Field(
        description="weight of each style of narrators/styles.yaml, among those that fit a text"
    )
