-- The reference run of each episode (ProSoftArena, Table 7): the best successful demonstration, which is the one with the fewest actions, then the fastest.
create view reference_runs as
select suite, episode_id, person, steps, seconds, count(*) over (partition by suite, episode_id) as demonstrations, run_id, repeat,
       'runs/' || run_id || '/trajectories/' || episode_id || '_' || repeat as recording
from demonstrations where is_success
qualify row_number() over (partition by suite, episode_id order by steps, seconds, run_id, repeat) = 1
order by suite, episode_id;

comment on view reference_runs is 'The best successful demonstration of each episode by a person: the reference run of its task';
comment on column reference_runs.suite is 'Suite';
comment on column reference_runs.episode_id is 'Episode';
comment on column reference_runs.person is 'Who played it';
comment on column reference_runs.steps is 'Actions of the person, the fewest of all successful demonstrations';
comment on column reference_runs.seconds is 'Seconds of the person''s work, without the reset of the machine';
comment on column reference_runs.demonstrations is 'Successful demonstrations of the episode';
comment on column reference_runs.run_id is 'Run';
comment on column reference_runs.repeat is 'Number of the repeat';
comment on column reference_runs.recording is 'Folder of the trajectory in the data folder';
