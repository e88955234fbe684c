-- How many texts of a dataset come from how many atomic tasks, and how many of those they say.
with counted as (
    select len(c.atomic_tasks) as composed, len(c.atomic_tasks) - len(u.dropped_steps) as said
    from user_tasks u join compositions c using (composition_id) where u.dataset_id = $dataset_id
)
select 'in the composition' as steps, composed as number, count(*) as texts from counted group by all
union all
select 'said in the text', said, count(*) from counted group by all
order by steps, number
