select run_id, repeat, number, decision, actions, words, feedback, printed, notes, seconds from steps where episode_id = $id order by run_id, repeat, number
