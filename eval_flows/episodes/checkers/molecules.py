"""The getter of chemistry: molecules in molfiles, in SMILES and in drawings of BKChem, compared by their structure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

from eval_flows.episodes.checkers.checker import Checkers

_MOST_BYTES, _MOST_ATOMS = 2_000_000, 2_000
_ORDERS = {"1": 1, "2": 2, "3": 3}
_END_OF_MOLFILE = b"M  END"


def molecule(content: bytes, what: str) -> Any:
    """Return a property of all molecules in a file; ValueError for a file that is too large or has none."""
    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    if len(content) > _MOST_BYTES:
        raise ValueError("this file is too large")
    found = _drawn(content) if b"<cdml" in content or b"<molecule" in content else _read(content)
    if found is None or found.GetNumAtoms() == 0:
        raise ValueError("no molecule is in this file")
    Chem.SanitizeMol(found)
    kind, _, about = what.partition(".")
    return _OF_MOLECULE[kind](Chem.RemoveHs(found), about)


def _read(content: bytes) -> Any:
    """Return the molecule of a molfile or of a line of SMILES."""
    from rdkit import Chem

    text = content.decode("latin-1")
    if _END_OF_MOLFILE in content:
        head, rows = text.splitlines()[:3], text.splitlines()[3:]
        rows = [row for row in rows if row.strip()]  # BKChem writes an empty row, which RDKit does not read
        return Chem.MolFromMolBlock("\n".join([*head, *rows]), sanitize=False)
    return Chem.MolFromSmiles(text.split()[0], sanitize=False)


def _drawn(content: bytes) -> Any:
    """Return the molecules of a drawing as one; BKChem writes its data into its SVG files too."""
    from rdkit import Chem

    made = Chem.RWMol()
    for drawing in _molecules(ElementTree.fromstring(content)):
        places: dict[str, int] = {}
        for node in drawing:
            tag = node.tag.rpartition("}")[2]
            if tag == "atom":
                atom = Chem.Atom(node.get("name", ""))
                atom.SetFormalCharge(int(node.get("charge", "0")))
                places[node.get("id", "")] = made.AddAtom(atom)
            elif tag == "bond":
                order = Chem.BondType.values[_ORDERS[node.get("type", "n1")[-1]]]
                made.AddBond(places[node.get("start", "")], places[node.get("end", "")], order)
            elif tag in ("group", "text"):
                raise ValueError(f"a {tag} in a molecule is not read")
            if made.GetNumAtoms() > _MOST_ATOMS:
                raise ValueError("this molecule is too large")
    return made.GetMol()


def _molecules(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    return (node for node in root.iter() if node.tag.rpartition("}")[2] == "molecule")


def _is(found: Any, smiles: str) -> bool:
    """Tell whether the molecules are those of the SMILES, whatever the order of their atoms and the form of their rings."""
    from rdkit import Chem

    return str(Chem.MolToSmiles(found)) == str(Chem.MolToSmiles(Chem.MolFromSmiles(smiles)))


def _formula(found: Any, _: str) -> str:
    from rdkit.Chem.rdMolDescriptors import CalcMolFormula

    return str(CalcMolFormula(found))


def _weight(found: Any, _: str) -> float:
    from rdkit.Chem.Descriptors import MolWt

    return float(MolWt(found))


def _has(found: Any, smarts: str) -> int:
    from rdkit import Chem

    return len(found.GetSubstructMatches(Chem.MolFromSmarts(smarts)))


def _pieces(found: Any, _: str) -> int:
    from rdkit import Chem

    return len(Chem.GetMolFrags(found))


_OF_MOLECULE: Mapping[str, Callable[[Any, str], Any]] = {"is": _is, "formula": _formula, "weight": _weight, "has": _has, "pieces": _pieces}
CHECKERS = Checkers(
    of_files={"molecule": lambda content, asked: molecule(content, asked["what"])},
    apart=frozenset({"molecule"}),
)
