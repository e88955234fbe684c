select suite, agent, start, episodes, settings, machine, image, started_at from suite_runs where run_id = $id
