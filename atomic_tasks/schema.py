"""What an application file, the equivalence map, a candidate list and the pools may say (pydantic models)."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from atomic_tasks.facts import Fact, parse_fact, parse_facts

PLACEHOLDER = re.compile(r"\{(\w*)\}")
SENTENCE_ENDS = ".?!"
DEFAULT_LOCALE = "en"


class Declared(BaseModel):
    """Declared data: unknown keys are errors and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _fact_text(text: str) -> str:
    parse_fact(text)
    return text


def _facts(data: Any) -> Any:
    """YAML splits `[total(column, workbook)]` at the comma inside the fact; put such facts together again."""
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
        raise ValueError("a brace that belongs to no {argument}; write each argument as {name}, in one pair of braces")
    return text


def _phrasing(text: str) -> str:
    if text != text.strip() or "\n" in text:
        raise ValueError("a phrasing is one line without spaces around it")
    if not is_sentence(text) and not text.startswith("{") and not text[0].islower():
        raise ValueError("a clause starts with a verb in lower case; a sentence ends in . ? or !")
    if is_sentence(text) and text[0].isalpha() and not text[0].isupper():
        raise ValueError("a sentence starts with a capital; a clause has no end punctuation")
    return text


def _fragment(text: str) -> str:
    if text != text.strip() or "\n" in text or is_sentence(text):
        raise ValueError("a fragment is one line without end punctuation or spaces around it")
    return text


def _background(text: str) -> str:
    if text != text.strip() or "\n" in text or not text.endswith((".", "!")) or "?" in text or text[0].islower():
        raise ValueError("a background is whole sentences that ask nothing: a capital first, and . or ! at the end")
    return text


def _argument(data: Any) -> Any:
    return {"generator": data} if isinstance(data, str) else data


def is_sentence(phrasing: str) -> bool:
    """A phrasing is a sentence if it ends in . ? or !, and else an imperative clause that can be joined to others."""
    return phrasing.endswith(tuple(SENTENCE_ENDS))


def placeholders(phrasing: str) -> list[str]:
    """The argument names that a phrasing uses, in order."""
    return PLACEHOLDER.findall(phrasing)


Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
FactText = Annotated[str, AfterValidator(_fact_text)]
FactTexts = Annotated[tuple[FactText, ...], BeforeValidator(_facts)]
Fragment = Annotated[str, Field(min_length=3), AfterValidator(_sound_braces), AfterValidator(_fragment)]
Background = Annotated[str, Field(min_length=12), AfterValidator(_sound_braces), AfterValidator(_background)]
Phrasing = Annotated[str, Field(min_length=3), AfterValidator(_sound_braces), AfterValidator(_phrasing)]


class Argument(Declared):
    """Where an argument's values come from: a named generator, perhaps tied to another argument, or a fixed choice."""

    generator: str | None = None
    of: Identifier | None = Field(None, description="the argument whose value this one fits")
    one_of: tuple[str, ...] | None = Field(None, min_length=2, description="a fixed choice of this task")

    @model_validator(mode="after")
    def _one_origin(self) -> "Argument":
        if (self.generator is None) == (self.one_of is None):
            raise ValueError("give either a generator or one_of")
        if self.of is not None and self.generator is None:
            raise ValueError("`of` needs a generator")
        return self


Arguments = dict[Identifier, Annotated[Argument, BeforeValidator(_argument, json_schema_input_type=Argument | str)]]


Entry = dict[str, Any]  # one name of checkers.yaml with what it takes, and for some a second one; the validator knows the names


class Talk(Declared):
    """How people speak of a task, or of the goal of a workflow."""

    say: tuple[Phrasing, ...] = Field(min_length=2)
    fragments: tuple[Fragment, ...] = Field((), description="what a hurried person types instead of a sentence: no verb form, no end punctuation")
    background: tuple[Background, ...] = Field((), description="what one who explains too much says before the ask; asks nothing itself")
    due: bool = Field(False, description="something that a person can owe by tomorrow")


class AtomicTask(Talk):
    """The smallest thing a person does in one application (AppSelectBench, section 5)."""

    id: str
    title: str = Field(pattern=r"^[A-Z][A-Za-z0-9]*$")
    capability: str = Field(pattern=r"^[a-z0-9_]+\.[a-z0-9_]+$")
    generic: bool = Field(False, description="opening, saving, closing: in no split, and never all that a text says")
    arguments: Arguments = Field(default_factory=dict)
    needs: FactTexts = ()
    gives: FactTexts = ()
    ends: FactTexts = ()
    revises: bool = Field(False, description="changes, ends or takes back what another task gives: nobody asks for both at once")
    last: bool = Field(False, description="what one does when all else is done (present, print, publish): in a chain nothing follows it")
    say: tuple[Phrasing, ...] = Field(min_length=3)
    notes: str | None = None
    setup: tuple[Entry, ...] = Field((), exclude=True, description="what is made on the machine before, each by a maker of checkers.yaml")
    preload: tuple[str, ...] | None = Field(
        None, exclude=True, description="arguments that start the program with this step done, where it opens something"
    )
    oracle: tuple[Entry, ...] = Field((), exclude=True, description="how it is done: steps in the action space of the agents, by role and name")
    check: tuple[Entry, ...] = Field((), exclude=True, description="what holds once it is done: a getter and a metric each")
    changes: tuple[Entry, ...] | None = Field(
        None,
        exclude=True,
        description="what it may change: files, and parts of files, each by a kind of checkers.yaml; all else has to stay as it is",
    )
    infeasible: str | None = Field(None, exclude=True, description="why the application cannot do it; what is right then is to say FAIL")

    @property
    def is_executable(self) -> bool:
        """Whether it can be done, and checked, on a machine of ours."""
        return bool(self.oracle) or self.infeasible is not None

    def facts(self, kind: Literal["needs", "gives", "ends"]) -> tuple[Fact, ...]:
        """The facts of one kind, parsed."""
        return parse_facts(getattr(self, kind))

    @property
    def application(self) -> str:
        """The application that the id names (application names may hold dots)."""
        return self.id.rpartition(".")[0]


class Application(Declared):
    """One application of the catalog; names as in AppSelectBench, Appendix C."""

    application: str = Field(pattern=r"^[a-z0-9][a-z0-9_.+()-]*$")
    title: str
    aliases: tuple[str, ...] = ()
    name_is_a_word: bool = Field(False, description="the title or an alias is an ordinary English word")
    vendor: str
    kind: str = Field(description="what a person calls such a program, with no name in it")
    platform: Literal["windows", "linux"]
    program: str | None = Field(None, exclude=True, description="the handle by which machines open it, if not the name")
    discipline: str | None = Field(None, exclude=True, description="the discipline of ProSoftArena that its episodes count for")
    category: str
    also_in: tuple[str, ...] = ()
    description: str
    features: tuple[str, ...] = Field(min_length=3)
    typical_scenarios: tuple[str, ...] = Field(min_length=3)
    tasks: tuple[AtomicTask, ...] = Field(min_length=5)


class Capability(Declared):
    """What a person wants done, and every application that can do it."""

    applications: tuple[str, ...] = Field(min_length=1)
    reason: str = Field(min_length=5)


class Equivalence(Declared):
    """The equivalence map (AppSelectBench, section 6.1)."""

    capabilities: dict[str, Capability]


class Kind(Declared):
    """Applications that people mean by the same words, with no product named."""

    applications: tuple[str, ...] = Field(min_length=1)
    say: tuple[str, ...] = Field(min_length=1, description="fit to open a request, or to follow: I mean ...")
    of_vendor: str | None = Field(None, pattern=r"\{vendor\}", description="the same with the maker")


class Kinds(Declared):
    """The kinds, and the makers that people know."""

    vendors: tuple[str, ...]
    kinds: dict[Identifier, Kind]


class CandidateList(Declared):
    """The applications that a selector chooses from; a dataset pins one."""

    title: str
    description: str
    applications: tuple[str, ...] = Field(min_length=2)


class WithKeys(Declared):
    """A maker, a getter or a change: the keys of what it takes, and what it is for. One that takes nothing but a path takes it as a plain text."""

    takes: tuple[Identifier, ...] = Field((), description="keys that must be there")
    may_take: tuple[Identifier, ...] = Field((), description="keys that may be there too")
    makes: str | None = None
    gives: str | None = None
    frees: str | None = None
    parts: dict[str, str] = Field({}, description="what its key `parts` may list")
    what: dict[str, str] = Field({}, description="what its key `what` may ask for; what stands after a dot is the asker's, as the text in style.TEXT")


ShapeName = Literal[
    "element", "element_or_window", "names", "place", "stretch", "text", "direction", "only_true",
    "value", "values", "pattern", "number", "near", "order", "getter",
]  # fmt: skip


class Named(Declared):
    """A metric, or a step of an oracle: the shape of what it takes (atomic_tasks/shapes.py), and what it is for."""

    takes: ShapeName
    holds: str | None = None
    does: str | None = None


class Checkers(Declared):
    """The declared names of checkers, of makers and of the steps of oracles."""

    makers: dict[Identifier, WithKeys]
    getters: dict[Identifier, WithKeys]
    metrics: dict[Identifier, Named]
    changes: dict[Identifier, WithKeys]
    oracle: dict[Identifier, Named]


class Categories(Declared):
    """The categories that the paper lists (Appendix D)."""

    categories: tuple[str, ...]


def _rows(data: Any) -> Any:
    """A pool of one column lists bare values; they are rows of one."""
    return [row if isinstance(row, list | tuple) else [row] for row in data] if isinstance(data, list | tuple) else data


Rows = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_rows, json_schema_input_type=list[str | list[str]])]


class FileSuffixes(Declared):
    """What people append to the names of their files."""

    periods: tuple[str, ...]
    versions: tuple[str, ...]


class Locale(Declared):
    """What the argument values of one locale are made from; texts stay English in every locale."""

    locale: Identifier
    name_locales: tuple[str, ...] = Field(min_length=1, description="Faker's locales for the names of people, drawn evenly")
    address_locale: str = Field(description="Faker's locale for street names and companies")
    currency: str
    house_number_first: bool
    phone_numbers: tuple[str, ...] = Field(min_length=1, description="patterns; # is a digit")
    mail_domains: tuple[str, ...] = Field(min_length=1)
    cities: dict[str, str] = Field(description="city: country, both as an English sentence has them")
    airports: tuple[str, ...]
    file_suffixes: FileSuffixes
    folders: tuple[str, ...]
    file_topics: dict[Identifier, tuple[str, ...]] = Field(description="names of files by topic; English stands in for topics left out")


class Origin(Declared):
    """Where generated values come from."""

    model: str
    prompt: str = Field(description="hash of the request that the values answered")
    made_at: str


class Pool(Declared):
    """Values of one or more generators; the columns of a row belong together."""

    locale: Identifier = Field(DEFAULT_LOCALE, description="values of another locale stand in a pool of their own with the same columns")
    origin: Origin | None = Field(None, description="where a language model gave the values")
    columns: tuple[Identifier, ...] = Field(min_length=1)
    later: dict[Identifier, tuple[str, ...]] = Field(default_factory=dict, description="what a second mention says")
    values: Rows = Field(min_length=1)

    @model_validator(mode="after")
    def _square(self) -> "Pool":
        for row in self.values:
            if len(row) != len(self.columns):
                raise ValueError(f"row {list(row)} has {len(row)} values for {len(self.columns)} columns")
        if len(set(self.values)) != len(self.values):
            twice = next(row for row in self.values if self.values.count(row) > 1)
            raise ValueError(f"row {list(twice)} stands twice")
        return self


class Pools(Declared):
    """A file of pools."""

    pools: tuple[Pool, ...]
