"""Protects argument generators: seeded, plausible, and tied values that fit."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_tasks.arguments import computed_generators
from atomic_tasks.arguments.pools import pool_generators
from atomic_tasks.arguments.times import _minutes
from atomic_tasks.catalog import Catalog
from atomic_tasks.schema import Pool

COMPUTED = computed_generators()


def test_there_are_many_and_each_says_what_it_is(catalog: Catalog) -> None:
    assert len(COMPUTED) >= 50
    assert len(catalog.generators) >= 100


@pytest.mark.parametrize("name", sorted(COMPUTED))
def test_the_same_seed_gives_the_same_values(name: str) -> None:
    generator = COMPUTED[name]
    first = [generator.draw(Random(seed), None) for seed in range(40)]
    assert first == [generator.draw(Random(seed), None) for seed in range(40)]
    assert all(value == value.strip() and value and "{" not in value for value in first)
    assert len(set(first)) > 1


def test_values_of_the_whole_catalog_read_well(catalog: Catalog) -> None:
    for name, generator in catalog.generators.items():
        for seed in range(5):
            value = generator.draw(Random(seed), None)
            assert value and "{" not in value and "}" not in value, name


@given(st.integers(0, 10**9))
def test_an_end_comes_after_its_start(seed: int) -> None:
    random = Random(seed)
    start = COMPUTED["time_of_day"].draw(random, None)
    end = COMPUTED["later_time"].draw(random, start)
    assert (_minutes(start) or 0) < (_minutes(end) or 0)


@given(st.integers(0, 10**9))
def test_a_later_timestamp_is_later(seed: int) -> None:
    random = Random(seed)
    first = COMPUTED["timestamp"].draw(random, None)
    later = COMPUTED["later_timestamp"].draw(random, first)
    assert tuple(map(int, first.split(":"))) < tuple(map(int, later.split(":")))


@given(st.integers(0, 10**9))
def test_a_cell_range_ends_after_it_starts(seed: int) -> None:
    start, _, end = COMPUTED["cell_range"].draw(Random(seed), None).partition(":")
    assert start[0] <= end[0] and int(start[1:]) < int(end[1:])


@given(st.integers(0, 10**9))
def test_a_country_fits_its_city(seed: int) -> None:
    random = Random(seed)
    assert COMPUTED["country"].draw(random, "Lisbon") == "Portugal"
    assert COMPUTED["country"].draw(random, "Nairobi") == "Kenya"


def test_an_email_address_fits_its_person() -> None:
    assert COMPUTED["email_address"].draw(Random(1), "José Peña").split("@")[0] in {"jose.pena", "jpena", "jose"}


def test_amounts_are_skewed() -> None:
    random = Random(5)
    values = sorted(float(COMPUTED["amount"].draw(random, None).strip("$").replace(",", "")) for _ in range(2000))
    assert values[1000] < sum(values) / len(values) / 1.3


def test_tied_columns_of_a_pool_come_from_one_row() -> None:
    pool = Pool.model_validate({"columns": ["song", "artist"], "values": [["Hello", "Adele"], ["Skyfall", "Adele"], ["Yellow", "Coldplay"]]})
    generators = pool_generators([pool])
    assert {generators["artist"].draw(Random(seed), "Yellow") for seed in range(20)} == {"Coldplay"}
    assert {generators["song"].draw(Random(seed), "Adele") for seed in range(40)} == {"Hello", "Skyfall"}
