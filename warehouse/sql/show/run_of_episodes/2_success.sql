select slice, value, episodes, played, succeeded, success, success_low, success_high, mean_reward, mean_reward_low, mean_reward_high, faults
from episode_success where run_id = $id and slice in ('all', 'level', 'application') order by list_position(['all', 'level', 'application'], slice), value
