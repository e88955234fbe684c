"""Protects what side effects in a document are: it is compared by what a person sees, and a change frees what it names and no more."""

import io
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import docx
import pytest

from tests.eval_flows.episodes.environment.homes import Json, told
from tests.eval_flows.episodes.made_files import made


def in_document(change: Callable[[Any], None]) -> bytes:
    document = docx.Document(io.BytesIO(made("report.docx")))
    change(document)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def paragraph(document: Any, text: str) -> Any:
    return next(one for one in document.paragraphs if text in one.text)


def embolden(document: Any) -> None:
    paragraph(document, "The shop").runs[0].bold = True


def by_style(document: Any) -> None:
    paragraph(document, "The shop").runs[0].style = "Strong"


IN_DOCUMENTS: list[tuple[Callable[[Any], Any], Json, list[str]]] = [
    (lambda one: None, {}, []),
    (lambda one: paragraph(one, "The shop").add_run(" And more."), {}, ['paragraph 3 changed from "The shop sold 40']),
    (lambda one: paragraph(one, "The shop").add_run(" And more."), {"paragraphs": ["the shop sold"]}, []),
    (embolden, {}, ["bold changed from False to True"]),
    (by_style, {}, ["bold changed from False to True"]),
    (embolden, {"paragraphs": ["The shop"]}, []),
    (lambda one: paragraph(one, "Questions").clear(), {}, ["paragraph 5 deleted: "]),
    (lambda one: setattr(paragraph(one, "Questions"), "alignment", 1), {}, ["alignment changed from"]),
    (lambda one: setattr(paragraph(one, "Figures"), "style", "Normal"), {}, ["level of heading changed from 1 to nothing"]),
    (lambda one: one.add_paragraph("The end"), {"end": True}, []),
    (lambda one: one.add_paragraph("The end"), {}, ['paragraph 6 added: "The end"']),
    (lambda one: one.add_paragraph(""), {}, []),
    (lambda one: one.add_table(2, 2), {}, ["tables changed from 1 to 2"]),
    (lambda one: one.add_table(2, 2), {"parts": ["tables"]}, []),
    (lambda one: setattr(one.tables[0].cell(1, 1), "text", "5"), {}, ['row of a table changed from "Lamps | 4" to "Lamps | 5"']),
    (lambda one: setattr(one.tables[0].cell(1, 1), "text", "5"), {"paragraphs": ["Lamps"]}, []),
    (lambda one: setattr(one.sections[0].header.paragraphs[0], "text", "Secret"), {}, ['header changed from nothing to "Secret"']),
    (lambda one: setattr(one.sections[0].header.paragraphs[0], "text", "Secret"), {"parts": ["header"]}, []),
    (lambda one: setattr(one.sections[0], "left_margin", 100), {"parts": ["header", "top_margin"]}, ["margin left changed from"]),
    (lambda one: setattr(one.sections[0], "left_margin", 100), {"parts": ["side_margins"]}, []),
    (lambda one: setattr(one.core_properties, "subject", "Lamps"), {}, ["subject changed from nothing to"]),
]


def doubled(document: Any) -> None:
    found = paragraph(document, "The shop")._p
    found.addnext(deepcopy(found))


def add(document: Any, text: str) -> Any:
    return paragraph(document, "The shop").add_run(text)


def set_format(document: Any, name: str, value: Any) -> None:
    setattr(paragraph(document, "The shop").paragraph_format, name, value)


def quoted(document: Any) -> None:
    paragraph(document, "The shop").style = "Quote"


def quoted_with(change: Callable[[Any], object]) -> Callable[[Any], None]:
    def done(document: Any) -> None:
        quoted(document)
        change(document)

    return done


SHOP = {"paragraphs": ["the shop"]}
ALIGNED, TEXT, STYLED = {**SHOP, "formats": ["alignment"]}, {**SHOP, "text": True}, {**SHOP, "formats": ["style"]}
IN_DOCUMENTS += [
    (doubled, SHOP, []),
    (doubled, ALIGNED, ['paragraph 3 added: "The shop sold']),
    (doubled, TEXT, ['paragraph 3 added: "…the shop…"']),
    (lambda one: set_format(one, "alignment", 1), ALIGNED, []),
    (lambda one: set_format(one, "alignment", 1), TEXT, ["alignment changed from"]),
    (lambda one: set_format(one, "right_indent", 900000), ALIGNED, ["right indent changed from 0.0 to 2.5"]),
    (lambda one: setattr(paragraph(one, "Questions"), "alignment", 1), ALIGNED, ['("Questions go to the office."): alignment changed from']),
    (embolden, ALIGNED, ["bold changed from False to True"]),
    (embolden, {**SHOP, "formats": ["bold"]}, []),
    (embolden, {**SHOP, "formats": ["bold"], "text": True}, []),
    (lambda one: add(one, " And more."), ALIGNED, ["paragraph 3 changed from"]),
    (lambda one: add(one, " And more."), TEXT, []),
    (lambda one: setattr(add(one, " And more."), "bold", True), TEXT, ['("…the shop…"): bold changed from False to [False, True]']),
    (lambda one: setattr(add(one, " And more."), "bold", True), {**TEXT, "formats": ["bold"]}, []),
    (lambda one: paragraph(one, "The shop").clear(), TEXT, ["paragraph 3 deleted"]),
    (lambda one: setattr(paragraph(one, "Questions").runs[0], "text", "Ask the shop."), TEXT, ["paragraph 5 changed from"]),
    (quoted, ALIGNED, ["italic changed from False to True"]),
    (quoted, STYLED, []),
    (quoted_with(embolden), STYLED, ["bold changed from"]),
    (quoted_with(lambda one: set_format(one, "alignment", 1)), STYLED, ["alignment changed from"]),
    (quoted_with(lambda one: set_format(one, "alignment", 1)), {**SHOP, "formats": ["style", "alignment"]}, []),
    (quoted_with(lambda one: setattr(paragraph(one, "The shop").runs[0], "italic", True)), STYLED, []),
    (embolden, STYLED, ["bold changed from"]),
    (lambda one: setattr(one.tables[0].cell(1, 1).paragraphs[0], "style", "Quote"), {"paragraphs": ["Lamps"], "formats": ["style"]}, []),
    (lambda one: setattr(one.tables[0].cell(1, 1), "text", "5"), {"paragraphs": ["Lamps"], "formats": ["bold"]}, ["row of a table changed from"]),
]


@pytest.mark.parametrize(("change", "free", "wanted"), IN_DOCUMENTS)
def test_a_document_is_compared_by_what_a_person_sees(change: Callable[[Any], Any], free: Json, wanted: list[str]) -> None:
    found = told({"report.docx": made("report.docx")}, {"report.docx": in_document(change)}, {"document": {"path": "report.docx", **free}})
    assert len(found) >= len(wanted) and bool(found) == bool(wanted), found
    for one in wanted:
        assert any(line.startswith("report.docx: ") and one in line for line in found), found


def test_two_changes_free_together_what_each_of_them_frees() -> None:
    def edit(document: Any) -> None:
        set_format(document, "alignment", 1)
        add(document, " And more.")

    before, after = {"report.docx": made("report.docx")}, {"report.docx": in_document(edit)}
    asked = [{"document": {"path": "report.docx", **one}} for one in (ALIGNED, {"paragraphs": ["40 lamps"], "text": True})]
    assert told(before, after, *asked) == []
    assert [len(told(before, after, one)) for one in asked] == [1, 1]
