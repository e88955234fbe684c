"""The rates at which a dataset is narrated; recipes state them."""

from pydantic import BaseModel, ConfigDict, Field, model_validator


class NarrationRates(BaseModel):
    """Weights of styles and probabilities, all of one text."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    drop_out: tuple[float, float] = Field(description="the range from which a text's drop-out rate is drawn")
    generic_drop_out: tuple[float, float] = Field(description="the same for generic steps (opening, saving), which people seldom say")
    most_said_steps: int = Field(ge=1, description="the most steps that a text says, unless more applications take part")
    addressed: float = Field(ge=0, le=1, description="how often the text addresses its application")
    lower_case: float = Field(ge=0, le=1, description="how often a text starts in lower case, without a final period")
    end_punctuation: float = Field(ge=0, le=1, description="how often a bare command ends in a period")
    typos: float = Field(ge=0, le=1, description="how often one ordinary word of the text is mistyped")
    styles: dict[str, float] = Field(description="weight of each style of narrators/styles.yaml")

    @model_validator(mode="after")
    def _range(self) -> "NarrationRates":
        for low, high in (self.drop_out, self.generic_drop_out):
            if not 0 <= low <= high <= 1:
                raise ValueError(f"a drop-out range goes from low to high between 0 and 1, not from {low} to {high}")
        return self
