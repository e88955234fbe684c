-- The newest run of each dataset name, protocol and model: what a reader means by "the" result.
create view latest_runs as
select r.*
from runs r join datasets d using (dataset_id)
qualify row_number() over (partition by r.dataset, r.protocol, r.model, r.split order by d.built_at desc, r.started_at desc, r.run_id) = 1
order by r.dataset, r.started_at, r.protocol;

comment on view latest_runs is 'The newest run of each dataset name, protocol, model and split';
comment on column latest_runs.run_id is 'Run';
comment on column latest_runs.dataset_id is 'Dataset that was run over';
comment on column latest_runs.dataset is 'Name of that dataset';
comment on column latest_runs.protocol is 'Protocol';
comment on column latest_runs.model is 'What answered';
comment on column latest_runs.sampling is 'Seeds and hashes of data that decide the answers';
comment on column latest_runs.split is 'Split that was run over, or all';
comment on column latest_runs.candidates is 'Applications to choose from';
comment on column latest_runs.started_at is 'When the run first started';
