-- How much of the catalog the compositions of each dataset use, by application.
create view catalog_coverage as
with used as (
    select distinct u.dataset_id, u.dataset, unnest(c.atomic_tasks) as atomic_task_id
    from user_tasks u join compositions c using (composition_id)
)
select d.dataset_id, d.dataset, a.application, any_value(p.category) as category, count(*) as atomic_tasks, count(u.atomic_task_id) as used,
       count(u.atomic_task_id) / count(*) as share_used
from datasets d cross join atomic_tasks a join applications p using (application)
left join used u on u.dataset_id = d.dataset_id and u.atomic_task_id = a.atomic_task_id
group by all
order by d.dataset, d.dataset_id, a.application;

comment on view catalog_coverage is 'Atomic tasks that some composition of a dataset uses, by application';
comment on column catalog_coverage.dataset_id is 'Dataset';
comment on column catalog_coverage.dataset is 'Name of the dataset';
comment on column catalog_coverage.application is 'Application';
comment on column catalog_coverage.category is 'Its primary category';
comment on column catalog_coverage.atomic_tasks is 'Atomic tasks in the catalog, as of the newest dataset';
comment on column catalog_coverage.used is 'Number of them that some composition uses';
comment on column catalog_coverage.share_used is 'Share of them that some composition uses';
