"""The catalog: applications, atomic tasks, the equivalence map and argument generators, all declared in YAML."""
