-- Where failed episodes went wrong (ProSoftArena, Section 6.2): shares of the kinds of errors in each run, people and models apart.
-- If several labelled an episode, each label counts by its part, so that an episode counts once. Kinds that nobody named have the share 0.
create view error_shares as
with parts as (
    select run_id, suite, labeller_kind, episode_id, repeat, kind, 1 / count(*) over (partition by run_id, labeller_kind, episode_id, repeat) as part from labels
),
labelled as (select run_id, suite, labeller_kind, episode_id, count(distinct repeat) as n from labels group by all),
by_episode as (
    select l.run_id, l.suite, l.labeller_kind, l.episode_id, k.kind, any_value(l.n) as n, coalesce(sum(p.part), 0) as k
    from labelled l cross join error_kinds k left join parts p
    on p.run_id = l.run_id and p.labeller_kind = l.labeller_kind and p.episode_id = l.episode_id and p.kind = k.kind
    group by all
),
sums as (
    select run_id, suite, labeller_kind, kind, sum(n) as labelled, sum(k) as errors, sum(k) / sum(n) as share, sum(n * n) as nn, sum(k * k) as kk, sum(k * n) as kn
    from by_episode group by all
),
squares as (select *, residual_squares(share, kk, kn, nn) as squares from sums)
select run_id, suite, agent, labeller_kind, s.kind, title, named_by, labelled::bigint as labelled, errors, share, interval_low(share, labelled, nn, squares) as share_low,
       interval_high(share, labelled, nn, squares) as share_high
from squares s join error_kinds using (kind) left join (select run_id, agent from suite_runs) using (run_id)
order by suite, agent, run_id, labeller_kind desc, number;

comment on view error_shares is 'Shares of the kinds of errors among the labelled failed episodes of each run, people and models apart, with 95% intervals';
comment on column error_shares.run_id is 'Run';
comment on column error_shares.suite is 'Suite';
comment on column error_shares.agent is 'Agent; null if the run is gone';
comment on column error_shares.labeller_kind is 'person or model';
comment on column error_shares.kind is 'Kind of error';
comment on column error_shares.title is 'Its title';
comment on column error_shares.named_by is 'ProSoftArena or Deskmill';
comment on column error_shares.labelled is 'Failed episodes and repeats that were labelled';
comment on column error_shares.errors is 'How many of them went wrong so; an episode with several labels counts by their parts';
comment on column error_shares.share is 'Their share';
comment on column error_shares.share_low is 'Lower end of its 95% interval, clustered by episode';
comment on column error_shares.share_high is 'Upper end of that interval';
