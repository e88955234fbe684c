"""The rates at which a dataset is narrated; recipes state them."""

from pydantic import BaseModel, ConfigDict, Field, model_validator


class NamingRates(BaseModel):
    """How often a text says which application is meant; else it names nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    application: float = Field(ge=0, le=1, description="by its name")
    kind: float = Field(ge=0, le=1, description="by the kind of program that it is, where people have a word for that")
    vendor: float = Field(ge=0, le=1, description="by kind and maker, where people know the maker")

    @model_validator(mode="after")
    def _at_most_all(self) -> "NamingRates":
        if self.application + self.kind + self.vendor > 1:
            raise ValueError("the rates of naming come to more than 1")
        return self


class NarrationRates(BaseModel):
    """Weights of styles and probabilities, all of one text."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    drop_out: tuple[float, float] = Field(description="the range from which a text's drop-out rate is drawn")
    generic_drop_out: tuple[float, float] = Field(description="the same for generic steps (opening, saving), which people seldom say")
    most_said_steps: int = Field(ge=1, description="the most steps that a text says, unless more applications take part")
    naming: NamingRates
    lower_case: float = Field(ge=0, le=1, description="how often a text starts in lower case, without a final period")
    end_punctuation: float = Field(ge=0, le=1, description="how often a bare command ends in a period")
    typos: float = Field(ge=0, le=1, description="how often one ordinary word of the text is mistyped")
    references: float = Field(ge=0, le=1, description="how often a value that was said already is referred to (that file) instead of said again")
    styles: dict[str, float] = Field(description="weight of each style of narrators/styles.yaml, among those that fit a text")

    @model_validator(mode="after")
    def _range(self) -> "NarrationRates":
        for low, high in (self.drop_out, self.generic_drop_out):
            if not 0 <= low <= high <= 1:
                raise ValueError(f"a drop-out range goes from low to high between 0 and 1, not from {low} to {high}")
        return self
