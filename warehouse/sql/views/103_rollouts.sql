-- Rollouts with their advantage within the group (GRPO: Shao et al. 2024, DeepSeekMath, section 4.1).
create view rollouts as
select group_id || '_' || repeat as rollout_id, group_id, run_id, e.suite, e.agent, e.start, episode_id, repeat as sample, status, reward, is_success,
       case when reward_deviation = 0 then 0 * reward else (reward - mean_reward) / reward_deviation end as advantage, steps, seconds, input_tokens,
       output_tokens, cost_usd
from episodes e join rollout_groups g using (run_id, episode_id)
order by group_id, sample;

comment on view rollouts is 'Rollouts of the groups, each with its advantage over the others of its group';
comment on column rollouts.rollout_id is 'Rollout, as in the data that `deskmill rollouts` writes: run, episode and sample';
comment on column rollouts.group_id is 'Group';
comment on column rollouts.run_id is 'Run';
comment on column rollouts.suite is 'Suite';
comment on column rollouts.agent is 'Agent';
comment on column rollouts.start is 'preloaded or bare';
comment on column rollouts.episode_id is 'Episode';
comment on column rollouts.sample is 'Number within the group, from 1';
comment on column rollouts.status is 'How it ended, as in the table episodes';
comment on column rollouts.reward is 'Reward of the final state; null for a fault of the infrastructure';
comment on column rollouts.is_success is 'Whether the task is done; null for a fault';
comment on column rollouts.advantage is 'Reward minus the mean of the group, over its standard deviation; 0 if all rewards are equal; null for a fault';
comment on column rollouts.steps is 'Steps that the agent took';
comment on column rollouts.seconds is 'Wall-clock seconds';
comment on column rollouts.input_tokens is 'Tokens that the model read';
comment on column rollouts.output_tokens is 'Tokens that the model wrote';
comment on column rollouts.cost_usd is 'Dollars for the calls of the model';
