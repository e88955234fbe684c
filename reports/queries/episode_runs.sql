-- The runs of agents over suites of episodes, newest first.
select s.run_id, s.suite, s.agent, if(r.is_scripted, 'script', 'agent') as player, s.start, r.started_at, s.episodes, s.played, s.success, s.success_low, s.success_high,
       s.mean_reward, s.mean_reward_low, s.mean_reward_high, s.faults, s.choices, s.choice_accuracy, s.choice_accuracy_low, s.choice_accuracy_high,
       c.mean_steps, c.mean_steps_low, c.mean_steps_high, c.mean_seconds, c.mean_seconds_low, c.mean_seconds_high, nullif(c.cost_usd, 0) as cost_usd
from episode_success s left join episode_cost c using (run_id) left join suite_runs r using (run_id)
where s.slice = 'all'
order by r.started_at desc nulls last, s.run_id
