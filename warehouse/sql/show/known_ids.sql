-- Everything that has an id, by kind; a dataset's name stands for the newest dataset of that name.
select 'task' as kind, task_id as id, task_id as identity, 'dataset ' || min(dataset) as told from user_tasks group by task_id
union all
select 'run', run_id, run_id, protocol || ' by ' || model || ' on ' || dataset from runs
union all
select 'run of episodes', run_id, run_id, agent || ' on ' || suite from suite_runs
union all
select 'sweep', sweep_id, sweep_id, 'of ' || sweep || ' on ' || suite from sweeps
union all
select 'sweep', sweep, arg_max(sweep_id, started_at), 'the newest of its name' from sweeps group by sweep
union all
select 'episode', episode_id, episode_id, 'of ' || string_agg(distinct suite, ', ' order by suite) from (
    select episode_id, suite from episodes
    union all
    select episode_id, suite from suite_episodes
) group by episode_id
union all
select 'dataset', dataset_id, dataset_id, 'named ' || dataset from datasets
union all
select 'dataset', dataset, arg_max(dataset_id, built_at), 'the newest of its name' from datasets group by dataset
union all
select 'composition', composition_id, composition_id, composition_kind from compositions
union all
select 'model call', call_id, call_id, 'of ' || min(asked) from (
    select call_id, model as asked from model_calls
    union all
    select unnest(calls), 'a run' from predictions
    union all
    select unnest(calls), 'a run of episodes' from steps
    union all
    select paraphrase_call, 'a paraphrase' from user_tasks where paraphrase_call is not null
) group by call_id
union all
select 'quality study', study_id, study_id, 'on ' || dataset from quality_studies
union all
select 'mixture', study_id, study_id, 'on ' || dataset from mixtures
union all
select 'atomic task', atomic_task_id, atomic_task_id, title from atomic_tasks
union all
select 'application', application, application, title from applications
