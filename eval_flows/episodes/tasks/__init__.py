"""Tasks: what is to be done on a desktop. Suites list tasks; a task is composed from atomic tasks, filled with values and told in words."""
