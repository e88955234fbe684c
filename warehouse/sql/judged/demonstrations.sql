-- What people played: the episodes of the agent `person`.
insert into demonstrations by name
select run_id, episode_id, repeat, e.suite, coalesce(person, '') as person, level, discipline, application, status, status = 'failed by agent' as gave_up,
       reward, is_success, steps, if(fault is null, greatest(0, seconds - ready_seconds), null) as seconds
from episodes e join suite_runs r using (run_id)
where e.agent = 'person'
