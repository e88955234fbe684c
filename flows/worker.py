"""What a worker process knows before its first shard: the fork server imports this once, and every worker inherits it."""

from atomic_tasks.arguments import computed_generators
from atomic_tasks.arguments.faker_values import faker_values
from atomic_tasks.arguments.people import NAME_LOCALES
from flows.shard import make_shard

__all__ = ["make_shard"]

computed_generators()
for locale in NAME_LOCALES:
    faker_values("first_name", locale)
    faker_values("last_name", locale)
