-- Agreement of judges on pairs and of labellers on the kinds and steps of errors, people and models apart: Krippendorff's alpha for nominal values (Krippendorff 2011,
-- "Computing Krippendorff's Alpha-Reliability"), and the share of pairs of values that are the same. The interval leaves out one item at a time (jackknife).
create view judging_agreement as
with valued as (
    select suite, 'preference' as measure, judge_kind as kind, pair_id as item, judge as who,
           case when avg(sign) > 0 then 'a' when avg(sign) < 0 then 'b' else 'tie' end as value
    from (select *, case when preferred_run_id is null then 0 when preferred_run_id = run_a then 1 else -1 end as sign from judgements) group by all
    union all
    select suite, measure, labeller_kind, concat_ws('_', run_id, episode_id, repeat), labeller, value
    from (select *, unnest([{measure: 'kind of error', value: kind}, {measure: 'step of error', value: coalesce(step::varchar, 'none')}], recursive := true) from labels)
),
cells as (
    select suite, measure, kind, item, value, count(*) as n, sum(count(*)) over (partition by suite, measure, kind, item) as m
    from valued group by suite, measure, kind, item, value qualify m >= 2
),
items as (
    select suite, measure, kind, item, any_value(m) as m, (any_value(m) ** 2 - sum(n * n)) / (any_value(m) - 1) as disagreement,
           sum(n * n) as own, sum(n * total) as crossed
    from cells join (select suite, measure, kind, value, sum(n) as total from cells group by all) using (suite, measure, kind, value) group by all
),
totals as (
    select suite, measure, kind, count(*) as items, sum(m) as pairable, sum(disagreement) as disagreement, sum(crossed) as squares
    from items group by all
),
without_one as (  -- alpha without each item: its values leave the sums
    select i.suite, i.measure, i.kind, t.items, i.disagreement / i.m as apart,
           1 - (t.disagreement - i.disagreement) * (t.pairable - i.m - 1) / nullif((t.pairable - i.m) ** 2 - (t.squares - 2 * i.crossed + i.own), 0) as alpha
    from items i join totals t using (suite, measure, kind)
),
jackknife as (
    select suite, measure, kind, avg(1 - apart) as same,
           if(count(alpha) = any_value(items) and any_value(items) > 1 and var_pop(alpha) > 1e-12,
              t_quantile(any_value(items) - 1) * sqrt((any_value(items) - 1) * var_pop(alpha)), null) as half
    from without_one group by all
),
who as (select suite, measure, kind, count(distinct who) as who from valued group by all),
alphas as (select *, 1 - disagreement * (pairable - 1) / nullif(pairable ** 2 - squares, 0) as alpha from totals)
select suite, measure, kind, who, items, same, alpha, if(half is null, null, greatest(-1, alpha - half)) as alpha_low, if(half is null, null, least(1, alpha + half)) as alpha_high
from alphas join jackknife using (suite, measure, kind) join who using (suite, measure, kind)
order by suite, measure, kind desc;

comment on view judging_agreement is 'Agreement of judges on pairs, and of labellers on the kinds and steps of errors, people and models apart: Krippendorff''s alpha; no row if nothing was judged twice';
comment on column judging_agreement.suite is 'Suite';
comment on column judging_agreement.measure is 'preference, kind of error or step of error';
comment on column judging_agreement.kind is 'person or model: the two are never mixed';
comment on column judging_agreement.who is 'Judges or labellers';
comment on column judging_agreement.items is 'Pairs, or failed episodes, that two or more of them judged';
comment on column judging_agreement.same is 'Mean share of two judges of an item who say the same';
comment on column judging_agreement.alpha is 'Krippendorff''s alpha, nominal: 1 is full agreement, 0 is chance; null if all say the same of everything';
comment on column judging_agreement.alpha_low is 'Lower end of its 95% interval, by the jackknife over items; null where leaving one out tells no spread, as in full agreement';
comment on column judging_agreement.alpha_high is 'Upper end of that interval';
