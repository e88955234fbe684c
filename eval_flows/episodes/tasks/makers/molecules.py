"""The maker of chemistry: molfiles from SMILES, with places of the atoms in a plane."""

from collections.abc import Mapping
from typing import Any

from eval_flows.episodes.tasks.makers.maker import Makers


def _molfile(asked: Mapping[str, Any]) -> bytes:
    from rdkit import Chem
    from rdkit.Chem import AllChem

    made = Chem.MolFromSmiles(asked["smiles"])
    AllChem.Compute2DCoords(made)
    Chem.Kekulize(made, clearAromaticFlags=True)
    lines = Chem.MolToMolBlock(made, kekulize=False).splitlines()
    lines[0], lines[1] = str(asked.get("title", "")), ""  # the second line would tell the time
    return ("\n".join(lines) + "\n").encode()


MAKERS = Makers(of_files={"molfile": _molfile})
