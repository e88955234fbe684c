-- The time of people by what they did.
select t.suite, t.activity, t.run_id, r.agent, count(distinct t.person) as people, sum(times)::bigint as times, sum(t.seconds) as seconds, sum(t.seconds) / 3600 as hours
from people_time t left join suite_runs r using (run_id)
group by all order by t.suite, t.activity, r.agent, t.run_id
