"""Protects argument generators: seeded, plausible, and tied values that fit."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_tasks.arguments import computed_generators
from atomic_tasks.arguments.locales import locales
from atomic_tasks.arguments.pools import pool_generators
from atomic_tasks.arguments.registry import Given
from atomic_tasks.arguments.times import _minutes
from atomic_tasks.catalog import Catalog
from atomic_tasks.value_schema import Pool

COMPUTED = computed_generators()


def test_there_are_many_and_each_says_what_it_is(catalog: Catalog) -> None:
    assert len(COMPUTED) >= 50
    assert len(catalog.generators) >= 100


@pytest.mark.parametrize("name", sorted(COMPUTED))
def test_the_same_seed_gives_the_same_values(name: str) -> None:
    generator = COMPUTED[name]
    first = [generator.draw(Random(seed), Given()) for seed in range(40)]
    assert first == [generator.draw(Random(seed), Given()) for seed in range(40)]
    assert all(value == value.strip() and value and "{" not in value for value in first)
    assert len(set(first)) > 1


def test_values_of_the_whole_catalog_read_well(catalog: Catalog) -> None:
    for name, generator in catalog.generators.items():
        for seed in range(5):
            value = generator.draw(Random(seed), Given())
            assert value and "{" not in value and "}" not in value, name


@given(st.integers(0, 10**9))
def test_an_end_comes_after_its_start(seed: int) -> None:
    random = Random(seed)
    start = COMPUTED["time_of_day"].draw(random, Given())
    end = COMPUTED["later_time"].draw(random, Given(start))
    assert (_minutes(start) or 0) < (_minutes(end) or 0)


@given(st.integers(0, 10**9))
def test_a_later_timestamp_is_later(seed: int) -> None:
    random = Random(seed)
    first = COMPUTED["timestamp"].draw(random, Given())
    later = COMPUTED["later_timestamp"].draw(random, Given(first))
    assert tuple(map(int, first.split(":"))) < tuple(map(int, later.split(":")))


@given(st.integers(0, 10**9))
def test_a_cell_range_ends_after_it_starts(seed: int) -> None:
    start, _, end = COMPUTED["cell_range"].draw(Random(seed), Given()).partition(":")
    assert start[0] <= end[0] and int(start[1:]) < int(end[1:])


@given(st.integers(0, 10**9))
def test_a_country_fits_its_city(seed: int) -> None:
    random = Random(seed)
    assert COMPUTED["country"].draw(random, Given("Lisbon")) == "Portugal"
    assert COMPUTED["country"].draw(random, Given("Nairobi")) == "Kenya"


def test_an_email_address_fits_its_person() -> None:
    assert COMPUTED["email_address"].draw(Random(1), Given("José Peña")).split("@")[0] in {"jose.pena", "jpena", "jose"}


def test_amounts_are_skewed() -> None:
    random = Random(5)
    values = sorted(float(COMPUTED["amount"].draw(random, Given()).strip("$").replace(",", "")) for _ in range(2000))
    assert values[1000] < sum(values) / len(values) / 1.3


def test_tied_columns_of_a_pool_come_from_one_row() -> None:
    pool = Pool.model_validate({"columns": ["song", "artist"], "values": [["Hello", "Adele"], ["Skyfall", "Adele"], ["Yellow", "Coldplay"]]})
    generators = pool_generators([pool])
    assert {generators["artist"].draw(Random(seed), Given("Yellow")) for seed in range(20)} == {"Coldplay"}
    assert {generators["song"].draw(Random(seed), Given("Adele")) for seed in range(40)} == {"Hello", "Skyfall"}


@pytest.mark.parametrize("locale", sorted(locales()))
def test_values_of_a_locale_fit_each_other(locale: str, catalog: Catalog) -> None:
    """Names, files, places and sums of one locale: its currency, its file names, its cities for the most part."""
    random, given_locale = Random(3), Given(None, locale)
    own = locales()[locale]
    assert {COMPUTED["amount"].draw(random, given_locale)[0] for _ in range(50)} == {own.currency}
    stems = own.file_topics["spreadsheet"]
    assert all(COMPUTED["spreadsheet_file"].draw(random, given_locale).startswith(stems) for _ in range(50))
    cities = [COMPUTED["city"].draw(random, given_locale) for _ in range(200)]
    assert sum(city in own.cities for city in cities) > 120
    for name, generator in catalog.generators.items():
        assert generator.draw(random, given_locale), name


def test_a_locales_pool_is_drawn_from_in_that_locale_alone() -> None:
    pools = [
        Pool.model_validate({"columns": ["sheet"], "values": ["Summary"]}),
        Pool.model_validate({"locale": "fr", "columns": ["sheet"], "values": ["Bilan"]}),
    ]
    sheet = pool_generators(pools)["sheet"]
    assert {sheet.draw(Random(seed), Given(None, "fr")) for seed in range(9)} == {"Bilan"}
    assert {sheet.draw(Random(seed), Given(None, "de")) for seed in range(9)} == {"Summary"}
