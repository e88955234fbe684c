-- What a run is, how many tasks its split has, and how many are scored.
select r.run_id, r.dataset_id, r.dataset, d.title, r.protocol, r.model, r.prompt, r.sampling, r.split, r.answer_kind, len(r.candidates) as candidates,
       r.at_once, r.openness, r.started_at,
       (select count(*) from user_tasks u where u.dataset_id = r.dataset_id and r.split in ('all', u.split)
        and (u.shape = 'singleton' or r.answer_kind = 'graph')) as tasks_there,
       (select count(*) from predictions p where p.run_id = r.run_id) as answers,
       (select count(*) from predictions p where p.run_id = r.run_id and p.status = 'failed') as failed,
       (select count(*) from predictions p where p.run_id = r.run_id and p.status = 'not_applicable') as not_applicable
from runs r join datasets d using (dataset_id)
where r.run_id = $run_id
