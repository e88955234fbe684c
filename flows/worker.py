"""The imports of a worker process before its first shard: the fork server runs them once, and every worker inherits them."""

import gc

from atomic_tasks.arguments import computed_generators
from atomic_tasks.arguments.faker_values import faker_values
from atomic_tasks.arguments.locales import locales
from flows.shard import make_shard
from warehouse.parquet import spare_pandas

__all__ = ["make_shard"]

computed_generators()
for locale in sorted({name for each in locales().values() for name in each.name_locales}):
    faker_values("first_name", locale)
    faker_values("last_name", locale)

spare_pandas()
gc.set_threshold(50_000)  # a shard's rows have no cycles, so reference counts free them; the garbage collector may run seldom
