"""What a metric is, and how it is guarded: what an agent left may be anything, and never stops an evaluation."""

import errno
import re
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from math import isnan
from typing import Any

from cssselect import SelectorError
from lxml.etree import XPathError

from eval_flows.episodes.checkers.care import within
from machines.errors import MachineNeeds, PluginError

Metric = Callable[..., float]
Metrics = Mapping[str, Metric]
Rules = Mapping[str, Any]

_OF_HOST = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE)  # a full disk, and too many open files
_OF_PATTERNS = (re.error, XPathError, SelectorError)  # only rules have patterns
_SECONDS = 60.0  # of the processor; the largest honest comparison takes a few


class TaskError(ValueError):
    """The task itself is wrong: its rules lack a key, or name what no metric knows. It is no outcome of the agent's."""


class Nothing(float):
    """The share 0 of a metric that could not compare, and why."""

    why: str

    def __new__(cls, why: str) -> "Nothing":
        """Return it."""
        made = super().__new__(cls, 0.0)
        made.why = why
        return made


def is_of_host(error: Exception) -> bool:
    """Tell whether an error says that this host lacks something: it is no outcome of the agent's."""
    return isinstance(error, MachineNeeds | PluginError) or (isinstance(error, OSError) and error.errno in _OF_HOST)


def guarded(metric: Metric, lets_through: tuple[type[Exception], ...] = (), none_is_nothing: bool = True) -> Metric:
    """Return the metric as a registry offers it: a share from 0 to 1, and `Nothing` for a result that is missing or cannot be read.

    Errors go through that are not of the result: `TaskError`, also for options that the metric does not have and for patterns that cannot be read,
    and what this host lacks.
    """
    form = signature(metric)
    told: tuple[type[Exception], ...] = (TaskError, *lets_through)

    @wraps(metric)
    def safe(*compared: object, **options: object) -> float:
        try:
            form.bind(*compared, **options)
        except TypeError as error:
            raise TaskError(f"{metric.__name__} does not take what the task gives it: {error}") from None
        if none_is_nothing and compared[0] is None:
            return Nothing("there is no result")
        try:
            found = within(_SECONDS, lambda: float(metric(*compared, **options)))
        except told:
            raise
        except _OF_PATTERNS as error:
            raise TaskError(f"a pattern in the rules cannot be read: {error}") from error
        except Exception as error:  # a dozen parsers raise as many kinds of errors for content that they cannot read
            if is_of_host(error):
                raise
            return Nothing(f"{type(error).__name__}: {error}")
        return 0.0 if isnan(found) else min(1.0, max(0.0, found))  # a ratio of nothing to nothing is no number

    return safe


def asked(rules: Any, key: str) -> Any:
    """Return what the rules of a task say under a key; TaskError if they do not."""
    if not isinstance(rules, Mapping):
        raise TaskError(f"rules must be a mapping with '{key}', not {type(rules).__name__}")
    if key not in rules:
        raise TaskError(f"rules lack '{key}': they have {', '.join(map(repr, rules)) or 'nothing'}")
    return rules[key]


def unknown(what: str, name: Any, known: Mapping[str, Any] | tuple[str, ...]) -> TaskError:
    """Return the error for a name in the rules that no metric knows."""
    return TaskError(f"unknown {what} {name!r}: the known ones are {', '.join(known)}")
