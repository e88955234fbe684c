select suite, 'oracle' as done_by, oracle_lines as steps, oracle_seconds as seconds, null as recording from suite_episodes where episode_id = $id
union all
select suite, trim('person ' || person), steps, seconds, recording from reference_runs where episode_id = $id
union all
-- what a job declares, or what was known when the suite was published
select suite, 'person, as published', human_steps, human_seconds, human_recording from suite_episodes as published
where episode_id = $id and human_steps is not null
  and not exists (select 1 from reference_runs as shown where shown.suite = published.suite and shown.episode_id = published.episode_id)
order by suite, done_by, recording
