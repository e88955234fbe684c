-- The newest run of each dataset name, protocol and model: a reader means its result by "the" result.
create view latest_runs as
select r.*
from runs r join datasets d using (dataset_id)
qualify row_number() over (partition by r.dataset, r.protocol, r.model, r.split, r.answer_kind order by d.built_at desc, r.started_at desc, r.run_id) = 1
order by r.dataset, r.started_at, r.protocol;

comment on view latest_runs is 'The newest run of each dataset name, protocol, model, split and kind of answer';
comment on column latest_runs.run_id is 'Run';
comment on column latest_runs.dataset_id is 'Dataset of the run';
comment on column latest_runs.dataset is 'Name of that dataset';
comment on column latest_runs.protocol is 'Protocol';
comment on column latest_runs.model is 'Model or baseline that answered';
comment on column latest_runs.prompt is 'Hash of the prompt templates; null if no language model was asked';
comment on column latest_runs.answer_kind is 'application, set or graph';
comment on column latest_runs.at_once is 'The most calls in flight; null if there were none';
comment on column latest_runs.openness is 'open or closed, for registered language models';
comment on column latest_runs.sampling is 'Seeds and hashes of data that decide the answers';
comment on column latest_runs.split is 'Split of the run, or all';
comment on column latest_runs.candidates is 'Applications to choose from';
comment on column latest_runs.started_at is 'When the run first started';
