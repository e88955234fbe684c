select episode_id, repeat, level, application, status, reward, steps, seconds, instruction from episodes where run_id = $id order by level, application, episode_id, repeat
