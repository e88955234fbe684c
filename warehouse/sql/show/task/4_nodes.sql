with nodes as (
    select distinct generate_subscripts(nodes, 1) - 1 as node, unnest(nodes) as content from user_tasks where task_id = $id and shape <> 'singleton'
)
select node, content.target_application as target_application, content.valid_applications as valid_applications from nodes order by node
