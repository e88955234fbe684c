-- What a run of episodes is, and how it went over all.
select s.run_id, s.suite, s.agent, s.start, r.is_scripted, r.settings, r.image, r.started_at, s.episodes, s.played, s.faults, s.choices,
       (select max(repeat) from episodes where run_id = s.run_id) as repeats
from episode_success s left join suite_runs r using (run_id)
where s.run_id = $run_id and s.slice = 'all'
