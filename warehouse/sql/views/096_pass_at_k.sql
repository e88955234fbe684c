-- pass@k: at least one of k repeats succeeds. pass^k: all of them succeed. Both are unbiased estimates from n repeats with c successes.
-- An episode with fewer than k repeats has neither; a fault is no repeat.
create macro choose(n, k) as
    case when k > n then 0 else list_reduce(list_transform(range(1, k + 1), lambda i: (n - k + i) / i), lambda product, factor: product * factor) end;

create view pass_at_k as
with counted as (
    select run_id, suite, agent, start, episode_id, count(is_success) as n, count(*) filter (is_success) as c from episodes group by all
),
repeated as (
    select *, unnest(range(1, (select max(n) from counted) + 1)) as k from counted
),
expected as (
    select run_id, suite, agent, start, k, case when n >= k then 1 - choose(n - c, k) / choose(n, k) end as any_of_k,
           case when n >= k then choose(c, k) / choose(n, k) end as all_of_k
    from repeated
),
means as (
    select run_id, suite, agent, start, k, count(*) as episodes, count(any_of_k) as repeated_enough, avg(any_of_k) as pass_at_k, avg(all_of_k) as pass_hat_k,
           var_pop(any_of_k) * count(any_of_k) as any_squares, var_pop(all_of_k) * count(all_of_k) as all_squares
    from expected group by all
)
select run_id, suite, agent, start, k, episodes, repeated_enough,
       pass_at_k, interval_low(pass_at_k, repeated_enough, repeated_enough, any_squares) as pass_at_k_low,
       interval_high(pass_at_k, repeated_enough, repeated_enough, any_squares) as pass_at_k_high,
       pass_hat_k, interval_low(pass_hat_k, repeated_enough, repeated_enough, all_squares) as pass_hat_k_low,
       interval_high(pass_hat_k, repeated_enough, repeated_enough, all_squares) as pass_hat_k_high
from means
order by suite, agent, start, run_id, k;

comment on view pass_at_k is 'pass@k and pass^k of each run of episodes, with 95% intervals';
comment on column pass_at_k.run_id is 'Run';
comment on column pass_at_k.suite is 'Suite';
comment on column pass_at_k.agent is 'Agent';
comment on column pass_at_k.start is 'preloaded or bare';
comment on column pass_at_k.k is 'Repeats';
comment on column pass_at_k.episodes is 'Episodes of the run';
comment on column pass_at_k.repeated_enough is 'Episodes with at least k repeats; the shares are over these';
comment on column pass_at_k.pass_at_k is 'Expected share in which at least one of k repeats succeeds; null if no episode has k';
comment on column pass_at_k.pass_at_k_low is 'Lower end of its 95% interval over episodes';
comment on column pass_at_k.pass_at_k_high is 'Upper end of that interval';
comment on column pass_at_k.pass_hat_k is 'Expected share in which all of k repeats succeed; null if no episode has k';
comment on column pass_at_k.pass_hat_k_low is 'Lower end of its 95% interval over episodes';
comment on column pass_at_k.pass_hat_k_high is 'Upper end of that interval';
