-- pass@k, that at least one of k repeats succeeds, and pass^k, that all of them do: without bias from n repeats, of which c succeeded.
-- A run with fewer than k repeats of an episode has neither for that episode; faults are no repeats.
create macro choose(n, k) as
    case when k > n then 0 else list_reduce(list_transform(range(1, k + 1), lambda i: (n - k + i) / i), lambda product, factor: product * factor) end;

create view pass_at_k as
with counted as (
    select run_id, suite, agent, start, episode_id, count(is_success) as n, count(*) filter (is_success) as c from episodes group by all
),
repeated as (
    select *, unnest(range(1, (select max(n) from counted) + 1)) as k from counted
)
select run_id, suite, agent, start, k, count(*) as episodes, count(*) filter (n >= k) as repeated_enough,
       avg(1 - choose(n - c, k) / choose(n, k)) filter (n >= k) as pass_at_k, avg(choose(c, k) / choose(n, k)) filter (n >= k) as pass_hat_k
from repeated
group by all
order by suite, agent, start, run_id, k;

comment on view pass_at_k is 'pass@k and pass^k of each run of episodes';
comment on column pass_at_k.run_id is 'Run';
comment on column pass_at_k.suite is 'Suite';
comment on column pass_at_k.agent is 'Agent';
comment on column pass_at_k.start is 'preloaded or bare';
comment on column pass_at_k.k is 'Repeats';
comment on column pass_at_k.episodes is 'Episodes of the run';
comment on column pass_at_k.repeated_enough is 'Those with at least k repeats, which the shares are over';
comment on column pass_at_k.pass_at_k is 'Expected share in which at least one of k repeats succeeds; null where no episode has k';
comment on column pass_at_k.pass_hat_k is 'Expected share in which all of k repeats succeed; null where no episode has k';
