-- The time of people, by what they did: the cost of a study beside machines and models. Waiting is no work.
create view people_time as
select activity, suite, run_id, person, count(*) as times, sum(seconds) as seconds, sum(seconds) / 3600 * (select dollars_an_hour from people_price) as cost_usd
from (
    select 'intervention' as activity, r.suite, i.run_id, i.person, i.seconds - i.waited_seconds as seconds
    from interventions i join suite_runs r using (run_id) where i.person <> ''
    union all
    select 'demonstration', suite, run_id, person, seconds from demonstrations where seconds is not null
    union all
    select 'judgement', suite, null, judge, seconds from judgements where judge_kind = 'person'
    union all
    select 'label', suite, run_id, labeller, seconds from labels where labeller_kind = 'person'
)
group by all
order by suite, activity, run_id, person;

comment on view people_time is 'Seconds and dollars of people by what they did: interventions, demonstrations, judgements and labels';
comment on column people_time.activity is 'intervention, demonstration, judgement or label';
comment on column people_time.suite is 'Suite';
comment on column people_time.run_id is 'Run; null for judgements, which are of two runs';
comment on column people_time.person is 'Person';
comment on column people_time.times is 'How often';
comment on column people_time.seconds is 'Seconds';
comment on column people_time.cost_usd is 'Dollars at the price of an hour in people_price';
