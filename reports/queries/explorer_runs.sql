-- The newest runs over a dataset, with what became of their tasks and how many tasks of their split they could answer.
select r.run_id, r.protocol, r.model, r.split, r.answer_kind, r.started_at, r.prompt is not null as asks_model,
       count(p.task_id) as tasks,
       count(*) filter (p.is_correct) as "right",
       count(*) filter (not p.is_correct and p.status = 'answered') as wrong,
       count(*) filter (not p.is_correct and p.status <> 'answered') as without_answer,
       count(*) filter (p.status = 'not_applicable') as not_applicable,
       (select count(*) from user_tasks t
        where t.dataset_id = r.dataset_id and r.split in (t.split, 'all') and (r.answer_kind = 'graph') = (t.shape <> 'singleton')) as tasks_of_split
from latest_runs r left join predictions p using (run_id)
where r.dataset_id = ?
group by all
order by r.started_at desc, r.run_id
