select run_id, repeat, number, decision, actions, words, feedback, seconds from steps where episode_id = $id order by run_id, repeat, number
