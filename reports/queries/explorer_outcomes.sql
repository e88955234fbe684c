-- What a run made of each user task of its dataset, with the answer that it gave, in the explorer's order.
select case when p.task_id is null then 'not asked'
            when p.is_correct then 'right'
            when p.status = 'not_applicable' then 'not applicable'
            when p.status = 'answered' then 'wrong'
            else 'no answer' end || coalesce(':' || p.predicted_application, '') as outcome
from runs r
join user_tasks t using (dataset_id)
left join predictions p on p.run_id = r.run_id and p.task_id = t.task_id
where r.run_id = ?
order by t.category nulls last, t.target_application, t.task_id
