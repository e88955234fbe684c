-- Every two cells of a sweep that differ in one thing alone, on the episodes and repeats that both played: who succeeded, by episode. These are the counts of paired tests.
create view sweep_pairs as
select a.sweep_id, a.factor, a.value as value_a, b.value as value_b, a.others, a.number as cell_a, b.number as cell_b, a.run_id as run_a, b.run_id as run_b,
       x.episode_id, count(*) as episodes, count(*) filter (x.is_success and y.is_success) as both_succeeded,
       count(*) filter (x.is_success and not y.is_success) as only_a, count(*) filter (y.is_success and not x.is_success) as only_b
from sweep_factors a join sweep_factors b on a.sweep_id = b.sweep_id and a.factor = b.factor and a.others = b.others and a.number < b.number
    join episodes x on x.run_id = a.run_id join episodes y on y.run_id = b.run_id and y.episode_id = x.episode_id and y.repeat = x.repeat
where x.is_success is not null and y.is_success is not null
group by all
order by a.sweep_id, cell_a, cell_b, x.episode_id;

comment on view sweep_pairs is 'Every two cells of a sweep that differ in one thing alone, on the episodes that both played: who succeeded on each';
comment on column sweep_pairs.sweep_id is 'Sweep';
comment on column sweep_pairs.factor is 'What they differ in: agent, model, observation, prompt, history, cards, or an option of the agent';
comment on column sweep_pairs.value_a is 'Its value in cell A';
comment on column sweep_pairs.value_b is 'Its value in cell B';
comment on column sweep_pairs.others is 'All else about both cells, in words';
comment on column sweep_pairs.cell_a is 'Number of cell A, the earlier one';
comment on column sweep_pairs.cell_b is 'Number of cell B';
comment on column sweep_pairs.run_a is 'Run of cell A';
comment on column sweep_pairs.run_b is 'Run of cell B';
comment on column sweep_pairs.episode_id is 'Episode';
comment on column sweep_pairs.episodes is 'Repeats of the episode that both played to the end';
comment on column sweep_pairs.both_succeeded is 'Repeats in which both succeeded';
comment on column sweep_pairs.only_a is 'Repeats in which only A succeeded';
comment on column sweep_pairs.only_b is 'Repeats in which only B succeeded';
