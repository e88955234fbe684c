-- Success of a run by parts of its episodes.
select slice, value, episodes, played, success, success_low, success_high, mean_reward, mean_reward_low, mean_reward_high, faults, choices,
       choice_accuracy, choice_accuracy_low, choice_accuracy_high
from episode_success
where run_id = $run_id
order by case slice when 'all' then 1 when 'level' then 2 when 'discipline' then 3 when 'level and discipline' then 4 when 'application' then 5 when 'level and application' then 6 else 7 end, value
