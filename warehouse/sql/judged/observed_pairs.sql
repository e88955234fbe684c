-- What Bradley-Terry scores are made of: for each pair of runs, the episodes on which they were compared and how many of them run a won.
-- An episode is one observation: the mean over its repeats, over its judges, and over both orders if a judge saw both.
with by_judge as (
    select suite, judge_kind, run_a, run_b, episode_id, repeat, judge,
           avg(case when preferred_run_id is null then 0.5 when preferred_run_id = run_a then 1 else 0 end) as won
    from judgements group by all
),
by_repeat as (select suite, judge_kind, run_a, run_b, episode_id, repeat, avg(won) as won from by_judge group by all),
by_episode as (select suite, judge_kind, run_a, run_b, episode_id, avg(won) as won from by_repeat group by all)
select suite, judge_kind, run_a, run_b, count(*)::double as comparisons, sum(won) as wins
from by_episode group by all
order by suite, judge_kind, run_a, run_b
