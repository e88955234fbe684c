with arguments as (select distinct unnest(arguments) as argument from user_tasks where task_id = $id)
select argument.name as name, argument.generator as generator, argument.value as value from arguments order by name, value
