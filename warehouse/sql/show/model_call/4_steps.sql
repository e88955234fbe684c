select run_id, episode_id, repeat, number, decision, actions, words, feedback, printed, notes from steps where list_contains(calls, $id) order by all
