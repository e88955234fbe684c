-- Every episode of a run, and every repeat.
select run_id, episode_id, repeat, level, discipline, application, instruction, infeasible, status,
       case when reward is null then 'fault' when is_success then 'succeeded' when reward > 0 then 'in part' else 'not done' end as outcome,
       reward, steps, seconds, first_application, is_valid_choice
from episodes where run_id = $run_id order by level, application, episode_id, repeat
