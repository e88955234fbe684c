"""Compositions: curated workflows and the engine that samples, orders and binds atomic tasks."""
