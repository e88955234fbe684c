"""The catalog: applications, atomic tasks, equivalence and argument generators, all declared as YAML."""
