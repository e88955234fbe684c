-- Every episode of a run, and every repeat; difficulty and subfield are known once the suite is published.
select run_id, episode_id, repeat, e.level, e.discipline, e.application, e.instruction, e.infeasible, status,
       case when reward is null then 'fault' when is_success then 'succeeded' when reward > 0 then 'in part' else 'not done' end as outcome,
       reward, steps, seconds, first_application, is_valid_choice, s.difficulty, s.subfield
from episodes e left join suite_episodes s using (suite, episode_id)
where run_id = $run_id order by e.level, e.application, episode_id, repeat
