with edges as (select distinct unnest(edges) as edge from user_tasks where task_id = $id)
select edge.source as source, edge.target as target from edges order by source, target
