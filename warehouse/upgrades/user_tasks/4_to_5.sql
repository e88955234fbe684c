-- Version 5 says which atomic tasks a text says; before it generic ones were not told apart, and stand in the list too.
select *, list_sort(list_distinct(list_filter(atomic_tasks, lambda task, place: says_goal or not list_contains(dropped_steps, place - 1)))) as said_tasks
from {source}
