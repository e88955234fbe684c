-- Groups of rollouts for training: the trajectories of one run that were asked the same task. An episode that was tried once is no group.
-- Faults of the infrastructure are counted, and have no reward.
create view rollout_groups as
select run_id || '/' || episode_id as group_id, run_id, suite, agent, start, episode_id, any_value(instruction) as task, count(reward) as rollouts,
       count(*) - count(reward) as faults, count(*) filter (is_success) as succeeded, avg(reward) as mean_reward, stddev_pop(reward) as reward_deviation
from episodes
group by run_id, suite, agent, start, episode_id
having count(*) > 1
order by suite, agent, start, run_id, episode_id;

comment on view rollout_groups is 'Groups of rollouts: the trajectories of a run that were asked the same task, with mean and deviation of their rewards';
comment on column rollout_groups.group_id is 'Group, as in the rollouts that `deskmill rollouts` writes: run and episode';
comment on column rollout_groups.run_id is 'Run';
comment on column rollout_groups.suite is 'Suite';
comment on column rollout_groups.agent is 'Agent';
comment on column rollout_groups.start is 'preloaded or bare';
comment on column rollout_groups.episode_id is 'Episode';
comment on column rollout_groups.task is 'Instruction for the agent';
comment on column rollout_groups.rollouts is 'Trajectories that were played to the end';
comment on column rollout_groups.faults is 'Trajectories that had only faults of the infrastructure';
comment on column rollout_groups.succeeded is 'Rollouts that succeeded';
comment on column rollout_groups.mean_reward is 'Mean of their rewards; null if none was played to the end';
comment on column rollout_groups.reward_deviation is 'Standard deviation of their rewards, as of a whole population; 0 if all are equal: then no rollout is better than another';
