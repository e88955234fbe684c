"""The price of people's time, declared in `people.yaml` here, or under `people` in the `models.yaml` of the data folder."""

from pathlib import Path

import duckdb
import yaml

from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder

_OURS = Path(__file__).parent / "people.yaml"
_NAME = "dollars_an_hour"


def load_people_price(connection: duckdb.DuckDBPyConnection, data: DataFolder) -> None:
    """Load the price of an hour of a person; WarehouseError if the declared one is no price."""
    connection.execute("insert into people_price values (?)", [_price(data.models)])


def _price(own: Path) -> float:
    declared = yaml.safe_load(_OURS.read_text())
    if own.is_file():
        try:
            content = yaml.safe_load(own.read_text())
        except yaml.YAMLError as error:
            raise WarehouseError(f"{own} is not valid YAML: {' '.join(str(error).split())}") from None
        declared = (content.get("people") if isinstance(content, dict) else None) or declared
    price = declared.get(_NAME) if isinstance(declared, dict) and set(declared) == {_NAME} else None
    if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < float("inf"):
        raise WarehouseError(f"{own}: people: say what an hour costs, as in `people: {{{_NAME}: 40}}`")
    return float(price)
