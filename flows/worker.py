"""What a worker process knows before its first shard: the fork server imports this once, and every worker inherits it."""

import gc

import pandas  # noqa: F401  pyarrow loads it for the first rows that a process makes: once here is not once in every worker

from atomic_tasks.arguments import computed_generators
from atomic_tasks.arguments.faker_values import faker_values
from atomic_tasks.arguments.locales import locales
from flows.shard import make_shard

__all__ = ["make_shard"]

computed_generators()
for locale in sorted({name for each in locales().values() for name in each.name_locales}):
    faker_values("first_name", locale)
    faker_values("last_name", locale)

gc.set_threshold(50_000)  # a shard's rows are plain trees that reference counts free; looking for cycles seldom is enough
