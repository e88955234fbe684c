"""Voices: what the habits of a writer make of a text, such as lower case, mistyped words or articles left out. Values never change."""

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Rate = Annotated[float, Field(ge=0, le=1)]

_APART = re.compile(r'(\{\w*\}|"[^"]*")')  # placeholders and quotations: they stay as they are
_WORD = re.compile(r"(?<![(\w'@#./:\\-])[a-z]{4,}(?![\w'@/:(\\-]|\.\w)")  # no part of a path, an address or code
_ARTICLE = re.compile(r"\b(?:the|a|an) (?=[a-z]+)")
_LOWER_WORD = re.compile(r"\b[a-z]+\b")
_CAPITALIZED = re.compile(r"\b[A-Z][a-z]*\b")
_APOSTROPHE = re.compile(r"(?<=[A-Za-z])'(?=(?:t|m|re|ve|ll|d)\b)")
_I = re.compile(r"I\b")
_ASKS = re.compile(r"\b(?:please|can you|could you|help me|would you)\b", re.IGNORECASE)
_GREETED = re.compile(r"(?:Can|Could|How|Is|Please|I|I'd|I'm|My|Would|Where|What)\b")
_KEYS = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk", "k": "jl", "l": "k", "m": "n",
    "n": "bm", "o": "ip", "p": "o", "q": "wa", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu", "z": "x",
}  # fmt: skip


class Voice(BaseModel):
    """The habits of a kind of writer, as probabilities: see `styles.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    greets: Rate
    thanks: Rate
    lower_case: Rate
    ends_bare: Rate
    articles_left_out: Rate
    apostrophes_left_out: Rate
    abbreviates: Rate
    mistypes: Rate


class VoiceWords(BaseModel):
    """Words that voices use."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    greetings: tuple[str, ...]
    thanks: tuple[str, ...]
    abbreviations: Mapping[str, str]
    kept_articles: tuple[str, ...]


def mannered(masked: str, voice: Voice, words: VoiceWords, random: Random) -> str:
    """Return the masked text with the writer's manners: a greeting, thanks, no period, no capital letters. Its words stay."""
    text = masked
    if random.random() < voice.thanks and _ASKS.search(text) and text.endswith((".", "?")):
        text += random.choice(words.thanks)
    if random.random() < voice.greets and _GREETED.match(text):
        greeting = random.choice(words.greetings)
        keeps_capital = not greeting.endswith(", ") or _I.match(text) is not None
        text = greeting + (text if keeps_capital else text[:1].lower() + text[1:])
    if text.endswith(".") and random.random() < voice.ends_bare:
        text = text[:-1]
    if random.random() < voice.lower_case:
        text = _in_pieces(text, lambda piece: _CAPITALIZED.sub(lambda match: match[0].lower(), piece))
    return text


def with_slips(masked: str, voice: Voice, words: VoiceWords, random: Random) -> str:
    """Return the masked text with the writer's slips: articles and apostrophes left out, words abbreviated and mistyped."""
    abbreviates = random.random() < voice.abbreviates
    leaves_out = random.random() < voice.apostrophes_left_out
    if not (abbreviates or leaves_out or voice.articles_left_out or voice.mistypes):
        return masked

    def written(text: str) -> str:
        if abbreviates:
            text = _LOWER_WORD.sub(lambda match: words.abbreviations.get(match[0], match[0]), text)
        text = _ARTICLE.sub(lambda match: _article(match, words, voice.articles_left_out, random), text)
        text = _WORD.sub(lambda match: _mistyped(match[0], random) if random.random() < voice.mistypes else match[0], text)
        return _APOSTROPHE.sub("", text) if leaves_out else text

    return _in_pieces(masked, written)


def _in_pieces(text: str, change: Callable[[str], str]) -> str:
    """Return the text with everything changed except placeholders and quotations."""
    return "".join(piece if number % 2 else change(piece) for number, piece in enumerate(_APART.split(text)))


def _article(match: re.Match[str], words: VoiceWords, rate: float, random: Random) -> str:
    kept = any(match.string.startswith(phrase, match.start()) for phrase in words.kept_articles)
    return match[0] if kept or random.random() >= rate else ""


def _mistyped(word: str, random: Random) -> str:
    """Return the word with one slip behind its first letter: two letters swapped, one left out, one doubled, or a key beside. It always differs."""
    place = random.randrange(1, len(word) - 1)
    slips = [
        word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        word[:place] + word[place + 1 :],
        word[:place] + word[place] + word[place:],
        word[:place] + random.choice(_KEYS[word[place]]) + word[place + 1 :],
    ]
    return random.choice([slip for slip in slips if slip != word])
