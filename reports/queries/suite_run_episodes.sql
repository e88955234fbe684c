-- Every episode of a run, and every repeat, with what its oracle and the best demonstration of a person take. Difficulty, subfield and the oracle are known
-- once the suite is published.
select e.run_id, episode_id, e.repeat, e.level, e.discipline, e.application, e.instruction, e.infeasible, status,
       case when reward is null then 'fault' when is_success then 'succeeded' when reward > 0 then 'in part' else 'not done' end as outcome,
       reward, e.steps, e.seconds, first_application, is_valid_choice, s.difficulty, s.subfield,
       s.oracle_lines as oracle_steps, s.oracle_seconds, coalesce(p.steps, s.human_steps) as person_steps, coalesce(p.seconds, s.human_seconds) as person_seconds, p.person
from episodes e left join suite_episodes s using (suite, episode_id) left join reference_runs p using (suite, episode_id)
where e.run_id = $run_id order by e.level, e.application, episode_id, e.repeat
