select suite, agent, start, episodes, settings, image, started_at from suite_runs where run_id = $id
