"""Protects chemistry: a molecule is the same in a molfile, in SMILES and in a drawing, and its isomers are not."""

import pytest

from eval_flows.episodes.checkers.molecules import molecule
from eval_flows.episodes.tasks.makers.maker import made_file

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
DRAWN = b"""<cdml xmlns="http://www.freesoftware.fsf.org/bkchem/cdml"><molecule id="m">
<atom id="a" name="C"/><atom id="b" name="C"/><atom id="c" name="O"/><atom id="d" name="O" charge="-1"/>
<bond type="n1" start="a" end="b"/><bond type="n2" start="b" end="c"/><bond type="n1" start="b" end="d"/></molecule>
<molecule id="n"><atom id="a" name="Na" charge="1"/></molecule></cdml>"""


def test_a_structure_is_known_in_any_form() -> None:
    molfile = made_file("molfile", {"path": "a", "smiles": ASPIRIN})
    assert molfile == made_file("molfile", {"path": "a", "smiles": ASPIRIN})
    with_an_empty_row = molfile.replace(b"M  END", b"\nM  END")
    for content in (molfile, with_an_empty_row, b"OC(=O)c1ccccc1OC(C)=O", b"OC(=O)C1=CC=CC=C1OC(C)=O aspirin\n"):
        assert molecule(content, f"is.{ASPIRIN}") and molecule(content, "formula") == "C9H8O4" and molecule(content, "pieces") == 1
        assert molecule(content, "weight") == pytest.approx(180.16, abs=0.01) and molecule(content, "has.c1ccccc1") == 1
        assert not molecule(content, "is.CC(=O)Oc1cccc(c1)C(=O)O")


def test_a_drawing_is_read_with_charges_and_all_its_molecules() -> None:
    assert molecule(DRAWN, "is.CC(=O)[O-].[Na+]") and molecule(DRAWN, "pieces") == 2 and molecule(DRAWN, "formula") == "C2H3NaO2"


def test_what_is_no_molecule_is_refused() -> None:
    five_bonds = DRAWN.replace(b'type="n1" start="a"', b'type="n3" start="a"')
    for content in (b"", b"no molecule", b"<cdml/>", b"\n\n\nM  END\n", five_bonds, DRAWN.replace(b"<bond", b"<group/><bond", 1)):
        with pytest.raises(Exception, match=r"."):
            molecule(content, "formula")
