"""The names by which people are known in results: each gives one on a page, and a cookie of their browser holds it."""

from urllib.parse import quote, unquote

from starlette.requests import HTTPConnection
from starlette.responses import Response

MODEL = "model:"  # how the names of models begin where people and models judge
WRONG = f"Give a name of 1 to 80 letters that does not begin with {MODEL}"
_COOKIE = "deskmill_name"


def is_name(who: str) -> bool:
    """Tell whether a person can be called so: some letters, and not as models are."""
    return bool(who.strip()) and len(who) <= 80 and who.isprintable() and not who.startswith(MODEL)


def name_of(connection: HTTPConnection) -> str:
    """Return the name that the person gave; empty if there is none."""
    who = unquote(connection.cookies.get(_COOKIE, ""))
    return who if is_name(who) else ""


def keep_name(who: str, answer: Response) -> None:
    """Let the browser keep the name of its person."""
    answer.set_cookie(_COOKIE, quote(who), httponly=True, samesite="strict")
