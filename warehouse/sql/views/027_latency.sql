-- The latency of the answers of every run; answers by batch have none and are left out. A table, because it sorts every latency.
-- The interval of the median is by order statistics (binomial, by its normal approximation), so it assumes no distribution.
create table latency as
with sorted as (
    select run_id, count(*) as answers, list_sort(list(latency_ms)) as times, avg(latency_ms) as mean_ms, median(latency_ms) as median_ms,
           quantile_cont(latency_ms, 0.9) as p90_ms, quantile_cont(latency_ms, 0.99) as p99_ms, max(latency_ms) as most_ms
    from predictions where latency_ms > 0 group by run_id
)
select run_id, r.dataset, r.protocol, r.model, s.answers, s.mean_ms, s.median_ms,
       s.times[greatest(1, floor(s.answers / 2 - 1.959964 * sqrt(s.answers) / 2)::bigint)] as median_low_ms,
       s.times[least(s.answers, ceil(s.answers / 2 + 1 + 1.959964 * sqrt(s.answers) / 2)::bigint)] as median_high_ms,
       s.p90_ms, s.p99_ms, s.most_ms
from sorted s join runs r using (run_id)
order by r.dataset, r.started_at, run_id;

comment on table latency is 'Latency of the answers of every run in milliseconds; a run without latencies has no row';
comment on column latency.run_id is 'Run';
comment on column latency.dataset is 'Name of the dataset';
comment on column latency.protocol is 'Protocol';
comment on column latency.model is 'Model or baseline that answered';
comment on column latency.answers is 'Predictions with a latency';
comment on column latency.mean_ms is 'Mean';
comment on column latency.median_ms is 'Median';
comment on column latency.median_low_ms is 'Lower end of the 95% interval of the median, by order statistics';
comment on column latency.median_high_ms is 'Upper end of that interval';
comment on column latency.p90_ms is '90% of the answers took at most this long';
comment on column latency.p99_ms is '99% of the answers took at most this long';
comment on column latency.most_ms is 'Longest latency';
