"""The form of application files, the equivalence map, kinds, categories and candidate lists (pydantic models)."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from atomic_tasks.facts import Fact, parse_fact, parse_facts

PLACEHOLDER = re.compile(r"\{(\w*)\}")
SENTENCE_ENDS = ".?!"
DEFAULT_LOCALE = "en"


class Declared(BaseModel):
    """Declared data. Unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _fact_text(text: str) -> str:
    parse_fact(text)
    return text


def _facts(data: Any) -> Any:
    """Join facts that YAML has split at a comma inside them, as in `[total(column, workbook)]`."""
    if not isinstance(data, list) or not all(isinstance(part, str) for part in data):
        return data
    whole: list[str] = []
    for part in data:
        if whole and whole[-1].count("(") > whole[-1].count(")"):
            whole[-1] += f", {part}"
        else:
            whole.append(part)
    return whole


def _sound_braces(text: str) -> str:
    if any(brace in PLACEHOLDER.sub("", text) for brace in "{}"):
        raise ValueError("a brace belongs to no {argument}: write each argument as {name}, in one pair of braces")
    return text


def _one_line(text: str) -> str:
    if text != text.strip() or "\n" in text:
        raise ValueError("a phrasing is one line without spaces around it")
    return text


def _phrasing(text: str) -> str:
    if not is_sentence(text) and not text.startswith("{") and not text[0].islower():
        raise ValueError("a clause starts with a verb in lower case; a sentence ends in . ? or !")
    if is_sentence(text) and text[0].isalpha() and not text[0].isupper():
        raise ValueError("a sentence starts with a capital; a clause has no end punctuation")
    return text


def _argument(data: Any) -> Any:
    return {"generator": data} if isinstance(data, str) else data


def is_sentence(phrasing: str) -> bool:
    """Tell whether a phrasing is a sentence: it ends in . ? or !. Else it is an imperative clause that can be joined to others."""
    return phrasing.endswith(tuple(SENTENCE_ENDS))


def placeholders(phrasing: str) -> list[str]:
    """Return the argument names that a phrasing uses, in order."""
    return PLACEHOLDER.findall(phrasing)


Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
FactText = Annotated[str, AfterValidator(_fact_text)]
FactTexts = Annotated[tuple[FactText, ...], BeforeValidator(_facts)]
Phrasing = Annotated[str, Field(min_length=3), AfterValidator(_sound_braces), AfterValidator(_one_line), AfterValidator(_phrasing)]
WholeText = Annotated[str, Field(min_length=3), AfterValidator(_sound_braces), AfterValidator(_one_line)]


class Argument(Declared):
    """The origin of an argument's values: a named generator, which can be tied to another argument, or a fixed choice."""

    generator: str | None = None
    of: Identifier | None = Field(None, description="the argument that this value must fit")
    one_of: tuple[str, ...] | None = Field(None, min_length=2, description="a fixed choice of this task")

    @model_validator(mode="after")
    def _one_origin(self) -> "Argument":
        if (self.generator is None) == (self.one_of is None):
            raise ValueError("give either a generator or one_of")
        if self.of is not None and self.generator is None:
            raise ValueError("`of` needs a generator")
        return self


Arguments = dict[Identifier, Annotated[Argument, BeforeValidator(_argument, json_schema_input_type=Argument | str)]]


Entry = dict[str, Any]  # one name of checkers.yaml with what it takes, and sometimes a second name; the validator knows the names


Rewordings = dict[Identifier, WholeText]
REWORDINGS: Rewordings = Field(
    default_factory=dict, description="whole texts that say the same as a phrasing, each as one voice of narrators/styles.yaml writes it"
)


class Talk(Declared):
    """What people say for a task, or for the goal of a workflow."""

    say: tuple[Phrasing, ...] = Field(min_length=2)
    rewordings: Rewordings = REWORDINGS


class _OtherOracle(Declared):
    """Other steps than those of the oracle, or the oracle with other texts in it."""

    oracle: tuple[Entry, ...] = Field((), description="the steps; `run` and `make` may take part")
    instead: dict[str, str] = Field(default_factory=dict, description="texts in the oracle, and what stands there instead")

    @model_validator(mode="after")
    def _one_of_both(self) -> "_OtherOracle":
        if bool(self.oracle) == bool(self.instead):
            raise ValueError("give either oracle or instead")
        return self


class Way(_OtherOracle):
    """Another way to the result of a task than its oracle's: a proof carries it out, and it must earn the reward."""

    way: str = Field(min_length=5, description="the way in words")


class NearMiss(_OtherOracle):
    """A plausible mistake: a proof makes it, and it must not earn the reward."""

    mistake: str = Field(min_length=5, description="the mistake in words")


class AtomicTask(Talk):
    """The smallest task of a person in one application (AppSelectBench, section 5)."""

    id: str
    title: str = Field(pattern=r"^[A-Z][A-Za-z0-9]*$")
    capability: str = Field(pattern=r"^[a-z0-9_]+\.[a-z0-9_]+$")
    generic: bool = Field(False, description="opening, saving, closing: in no split, and never all that a text says")
    arguments: Arguments = Field(default_factory=dict)
    needs: FactTexts = ()
    gives: FactTexts = ()
    ends: FactTexts = ()
    revises: bool = Field(False, description="changes, ends or reverts the result of another task: nobody asks for both at once")
    last: bool = Field(False, description="a last step (present, print, publish): in a chain no task follows it")
    named: tuple[Phrasing, ...] = Field((), description="what people say who name the application")
    notes: str | None = None
    asks: tuple[Phrasing, ...] = Field(
        (), exclude=True, description="what an episode asks instead, where the phrasings of `say` leave open what is checked; no data set has it"
    )
    setup: tuple[Entry, ...] = Field((), exclude=True, description="what is made on the machine before the episode, each by a maker of checkers.yaml")
    preload: tuple[str, ...] | None = Field(
        None, exclude=True, description="for a task that opens something: the program starts with these arguments, and this step is done"
    )
    oracle: tuple[Entry, ...] = Field(
        (), exclude=True, description="how the task is done: steps in the action space of agents, by role and name of elements"
    )
    check: tuple[Entry, ...] = Field((), exclude=True, description="what holds after the task is done: each entry has a getter and a metric")
    changes: tuple[Entry, ...] | None = Field(
        None,
        exclude=True,
        description="what the task may change: files and parts of files, each by a kind of checkers.yaml; nothing else may change",
    )
    also: tuple[Way, ...] = Field((), exclude=True, description="other ways than the oracle's to the same result: each must pass the checks")
    near_misses: tuple[NearMiss, ...] = Field((), exclude=True, description="plausible mistakes: none may pass the checks")
    infeasible: str | None = Field(None, exclude=True, description="why the application cannot do the task; the right answer is FAIL")

    @property
    def is_executable(self) -> bool:
        """Tell whether the task can be done and checked on our machines."""
        return bool(self.oracle) or self.infeasible is not None

    def facts(self, kind: Literal["needs", "gives", "ends"]) -> tuple[Fact, ...]:
        """Return the parsed facts of one kind."""
        return parse_facts(getattr(self, kind))

    @property
    def application(self) -> str:
        """Return the application that the id names. Application names can have dots."""
        return self.id.rpartition(".")[0]


FEWEST_TASKS = 5  # of an application of Windows


class Application(Declared):
    """One application of the catalog. Names are as in AppSelectBench, Appendix C."""

    application: str = Field(pattern=r"^[a-z0-9][a-z0-9_.+()-]*$")
    title: str
    aliases: tuple[str, ...] = ()
    name_is_a_word: bool = Field(False, description="the title or an alias is an ordinary English word")
    vendor: str
    kind: str = Field(description="what a person calls such a program, without a product name")
    platform: Literal["windows", "linux"]
    program: str | None = Field(None, exclude=True, description="the name by which machines open it, if it differs from `application`")
    discipline: str | None = Field(None, exclude=True, description="the discipline of ProSoftArena for its episodes")
    category: str
    also_in: tuple[str, ...] = ()
    description: str
    features: tuple[str, ...] = Field(min_length=3)
    typical_scenarios: tuple[str, ...] = Field(min_length=3)
    tasks: tuple[AtomicTask, ...] = Field((), description="at least five, except on Linux: the tasks of professional software are jobs of a suite")

    @model_validator(mode="after")
    def _has_tasks(self) -> "Application":
        if self.platform == "windows" and len(self.tasks) < FEWEST_TASKS:
            raise ValueError(f"tasks: an application of platform windows has at least {FEWEST_TASKS}")
        return self


class Capability(Declared):
    """Something that people want to do, and every application that can do it."""

    applications: tuple[str, ...] = Field(min_length=1)
    reason: str = Field(min_length=5)


class Equivalence(Declared):
    """The equivalence map (AppSelectBench, section 6.1)."""

    capabilities: dict[str, Capability]


class Kind(Declared):
    """Applications that people mean by the same words, without a product name."""

    applications: tuple[str, ...] = Field(min_length=1)
    say: tuple[str, ...] = Field(min_length=1, description="words that can start a request, or follow: I mean ...")
    of_vendor: str | None = Field(None, pattern=r"\{vendor\}", description="the same words with the vendor")


class Kinds(Declared):
    """The kinds, and the vendors that people know."""

    vendors: tuple[str, ...]
    kinds: dict[Identifier, Kind]


class CandidateList(Declared):
    """The applications that a selector chooses from. A dataset uses one list."""

    title: str
    description: str
    applications: tuple[str, ...] = Field(min_length=2)


class Categories(Declared):
    """The categories of the paper (Appendix D)."""

    categories: tuple[str, ...]
