select sweep, title, description, suite, start, budget_usd, started_at from sweeps where sweep_id = $id
