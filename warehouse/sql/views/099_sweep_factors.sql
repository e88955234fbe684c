-- What is studied in each sweep: a row for each cell and each thing that varies while all else stays the same. Cells with the same `factor` and `others` differ in that
-- thing alone, so they can be compared in pairs. Each option of an agent is a thing of its own.
create view sweep_factors as
with listed as (
    select sweep_id, number, run_id, list_filter(
               [{name: 'agent', value: agent}, {name: 'model', value: model}, {name: 'observation', value: observation}, {name: 'prompt', value: prompt},
                {name: 'history', value: history}, {name: 'cards', value: if(cards, 'yes', if(not cards, 'no', null))}]
               || list_transform(map_entries(from_json(options, '"MAP(VARCHAR, VARCHAR)"')), lambda one: {name: one.key, value: one.value}),
               lambda one: one.value is not null) as factors
    from sweep_cells
),
each_one as (select *, unnest(factors) as one from listed),
told as (
    select sweep_id, number, run_id, one.name as factor, one.value as value,
           array_to_string(list_transform(list_filter(factors, lambda other: other.name <> one.name), lambda other:
               if(other.name in ('agent', 'model', 'observation', 'prompt'), other.value, other.name || '=' || other.value)), ', ') as others
    from each_one
)
select sweep_id, number, run_id, factor, value, others
from told
qualify count(*) over (partition by sweep_id, factor, others) > 1
order by sweep_id, factor, others, number;

comment on view sweep_factors is 'What varies in the sweeps while all else stays the same: a row for each cell and each such factor';
comment on column sweep_factors.sweep_id is 'Sweep';
comment on column sweep_factors.number is 'Number of the cell';
comment on column sweep_factors.run_id is 'Its run';
comment on column sweep_factors.factor is 'What varies: agent, model, observation, prompt, history, cards, or an option of the agent';
comment on column sweep_factors.value is 'Its value in this cell';
comment on column sweep_factors.others is 'All else about the cell, in words: the same in the cells that it is compared with';
