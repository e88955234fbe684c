-- Cost and accuracy of every run, and the Pareto front of each dataset, split and kind of answer: no other run beats a run there at both.
create view cost_and_accuracy as
with spent as (
    select run_id, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens, 1000 * avg(cost_usd) as dollars_per_1000,
           1000 * stddev_samp(cost_usd) / sqrt(count(*)) as dollars_error
    from predictions where status <> 'not_applicable' group by run_id
),
priced as (
    select a.*, s.* exclude (run_id), s.dollars_per_1000 / 1000 / nullif(a.accuracy, 0) as dollars_per_right_answer from accuracy a join spent s using (run_id)
)
select p.run_id, p.dataset_id, p.dataset, p.split, p.answer_kind, p.protocol, p.model, p.tasks, p.accuracy, p.accuracy_low, p.accuracy_high,
       p.input_tokens, p.output_tokens, p.cost_usd, p.dollars_per_1000, greatest(0, p.dollars_per_1000 - 1.959964 * p.dollars_error) as dollars_per_1000_low,
       p.dollars_per_1000 + 1.959964 * p.dollars_error as dollars_per_1000_high, p.dollars_per_right_answer, l.median_ms, l.median_low_ms, l.median_high_ms, l.p90_ms,
       not exists (
           from priced o
           where o.dataset_id = p.dataset_id and o.split = p.split and o.answer_kind = p.answer_kind
             and o.accuracy >= p.accuracy and o.dollars_per_1000 <= p.dollars_per_1000 and (o.accuracy > p.accuracy or o.dollars_per_1000 < p.dollars_per_1000)
       ) as is_on_pareto_front
from priced p left join latency l using (run_id)
order by p.dataset, p.dataset_id, p.split, p.dollars_per_1000, p.accuracy desc, p.run_id;

comment on view cost_and_accuracy is 'Tokens, dollars and latency of every run beside its accuracy';
comment on column cost_and_accuracy.run_id is 'Run';
comment on column cost_and_accuracy.dataset_id is 'Dataset of the runs';
comment on column cost_and_accuracy.dataset is 'Name of that dataset';
comment on column cost_and_accuracy.split is 'Split of the run, or all';
comment on column cost_and_accuracy.answer_kind is 'application or set; a set counts by its first application';
comment on column cost_and_accuracy.protocol is 'Protocol';
comment on column cost_and_accuracy.model is 'Model or baseline that answered';
comment on column cost_and_accuracy.tasks is 'Tasks that apply, with or without an answer';
comment on column cost_and_accuracy.accuracy is 'Share of the tasks whose answer is valid';
comment on column cost_and_accuracy.accuracy_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column cost_and_accuracy.accuracy_high is 'Upper end of that interval';
comment on column cost_and_accuracy.input_tokens is 'Tokens of the prompts';
comment on column cost_and_accuracy.output_tokens is 'Tokens of the output';
comment on column cost_and_accuracy.cost_usd is 'Dollars that the answers cost when they were paid';
comment on column cost_and_accuracy.dollars_per_1000 is 'Dollars for 1,000 tasks';
comment on column cost_and_accuracy.dollars_per_1000_low is 'Lower end of its 95% normal interval over tasks; null for a single task';
comment on column cost_and_accuracy.dollars_per_1000_high is 'Upper end of that interval';
comment on column cost_and_accuracy.dollars_per_right_answer is 'Dollars for each valid answer; null if there is none';
comment on column cost_and_accuracy.median_ms is 'Median latency in milliseconds; null if no answer has one';
comment on column cost_and_accuracy.median_low_ms is 'Lower end of its 95% interval, by order statistics';
comment on column cost_and_accuracy.median_high_ms is 'Upper end of that interval';
comment on column cost_and_accuracy.p90_ms is '90% of the answers took at most this long';
comment on column cost_and_accuracy.is_on_pareto_front is 'Whether no run over the same dataset and split with the same kind of answer is at least as accurate and as cheap, and better at one of them';
