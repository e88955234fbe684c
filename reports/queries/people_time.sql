-- The time of people by what they did, and its cost beside that of the models in the same run.
with models as (select run_id, sum(cost_usd) as models_cost_usd from episodes group by run_id)
select t.suite, t.activity, t.run_id, r.agent, count(distinct t.person) as people, sum(times)::bigint as times, sum(t.seconds) as seconds, sum(t.seconds) / 3600 as hours,
       sum(t.cost_usd) as cost_usd, any_value(p.dollars_an_hour) as dollars_an_hour, nullif(any_value(m.models_cost_usd), 0) as models_cost_usd
from people_time t cross join people_price p left join suite_runs r using (run_id) left join models m using (run_id)
group by t.suite, t.activity, t.run_id, r.agent order by t.suite, t.activity, r.agent, t.run_id
