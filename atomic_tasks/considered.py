"""What was considered for each capability: the applications that could be thought of and cannot do it, with the reason.

It stands beside the equivalence map (AppSelectBench, section 6.1), so that anyone can see why an application counts and another does not. Builds
do not read it: only `deskmill validate` and `deskmill show` do.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import Field, model_validator

from atomic_tasks.catalog import CATALOG_ROOT
from atomic_tasks.problems import Place, Problem, Source, suggestion
from atomic_tasks.schema import Capability, Declared, Equivalence, Identifier
from atomic_tasks.yaml_source import read_declared_file

FILE = "considered.yaml"


class Out(Declared):
    """Applications that cannot do what a capability says, and why: a sentence, or the name of a shared reason."""

    applications: tuple[str, ...] = Field(min_length=1)
    reason: str = Field(min_length=5)


class Considerations(Declared):
    """The considered-out list of one capability, or the kind of `own` that it is."""

    own: Identifier | None = Field(None, description="why no other application could be thought of: a name under `own`")
    out: tuple[Out, ...] = ()

    @model_validator(mode="after")
    def _says_something(self) -> "Considerations":
        if self.own is not None and self.out:
            raise ValueError("a capability is an application's `own`, or it has an `out` list: leave one of them away")
        return self


class Considered(Declared):
    """The file of considered-out lists."""

    rivals: dict[str, tuple[str, ...]] = Field(description="for each application, the other ones that a person could think of")
    own: dict[Identifier, str] = Field(description="kinds of capabilities that only one application has")
    reasons: dict[Identifier, str] = Field(description="sentences that hold for many capabilities")
    capabilities: dict[str, Considerations]


def problems_of(considered: Considered, capabilities: Mapping[str, Capability], source: Source) -> Iterator[Problem]:
    """Yield what is wrong: unknown names, a capability without an entry, an application that is both in and out, a rival that is neither."""
    for name, rivals in considered.rivals.items():
        yield from _unknown(considered, source, ("rivals", name), rivals)
    for name, capability in capabilities.items():
        if name not in considered.capabilities:
            yield source.problem(("capabilities",), f"'{name}' has no entry: say which applications were considered and why they are out")
        else:
            yield from _problems_of_one(considered, name, set(capability.applications), source)
    for name in considered.capabilities.keys() - capabilities.keys():
        reason = f"'{name}' is not in equivalence.yaml{suggestion(name, capabilities)}"
        yield source.problem(("capabilities", name), reason)


def _problems_of_one(considered: Considered, name: str, able: set[str], source: Source) -> Iterator[Problem]:
    entry = considered.capabilities[name]
    place: Place = ("capabilities", name)
    if entry.own is not None:
        if entry.own not in considered.own:
            yield source.problem(
                (*place, "own"), f"unknown kind '{entry.own}'{suggestion(entry.own, considered.own)} (kinds: {', '.join(considered.own)})"
            )
        return
    out = [application for one in entry.out for application in one.applications]
    yield from _unknown(considered, source, (*place, "out"), out)
    for application in sorted(able.intersection(out)):
        yield source.problem((*place, "out"), f"{application} is out here, but equivalence.yaml lists it")
    for application in sorted({one for one in out if out.count(one) > 1}):
        yield source.problem((*place, "out"), f"{application} is out twice")
    for number, one in enumerate(entry.out):
        if " " not in one.reason and one.reason not in considered.reasons:
            yield source.problem((*place, "out", number, "reason"), f"unknown reason '{one.reason}'{suggestion(one.reason, considered.reasons)}")
    missing = {rival for application in able for rival in considered.rivals.get(application, ())} - able - set(out)
    if missing:
        yield source.problem(place, f"say of {', '.join(sorted(missing))} whether they are in (equivalence.yaml) or out (here), or that it is `own`")
    elif not out and not any(considered.rivals.get(application) for application in able):
        yield source.problem(place, "nothing was considered: give an `out` list, or say that it is `own`")


def _unknown(considered: Considered, source: Source, place: Place, names: tuple[str, ...] | list[str]) -> Iterator[Problem]:
    for name in names:
        if name not in considered.rivals:
            yield source.problem(place, f"unknown application '{name}'{suggestion(name, considered.rivals)}: each has its rivals above")


class Judged(Declared):
    """A capability with all that was considered: which applications are in, which are out, and why."""

    kind: str = "capability"
    id: str
    applications: tuple[str, ...]
    reason: str
    own: str | None
    out: tuple[Out, ...]

    def text(self) -> str:
        """Return it as lines for a person."""
        lines = [f"{self.kind} {self.id}", f"in: {', '.join(self.applications)}", f"    {self.reason}"]
        for one in self.out:
            lines += [f"out: {', '.join(one.applications)}", f"    {one.reason}"]
        return "\n".join([*lines, f"no other application was considered: {self.own}"] if self.own else lines)


def judged(name: str, root: Path = CATALOG_ROOT) -> Judged | None:
    """Return who can do what a capability says, who cannot, and why; None if the equivalence map has no such capability."""
    capability = read_declared_file(root / "equivalence.yaml", Equivalence).capabilities.get(name)
    if capability is None:
        return None
    considered = read_declared_file(root / FILE, Considered)
    entry = considered.capabilities.get(name, Considerations())
    return Judged(
        id=name,
        applications=capability.applications,
        reason=capability.reason,
        own=considered.own[entry.own] if entry.own else None,
        out=tuple(one.model_copy(update={"reason": considered.reasons.get(one.reason, one.reason)}) for one in entry.out),
    )
