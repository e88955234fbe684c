-- The rows of each dataset by category: how many, how the text addresses the application, and how many applications are valid.
create view dataset_composition as
select dataset_id, dataset, coalesce(category, 'several applications') as category, count(*) as tasks,
       avg(names_application::int) as share_that_names_application,
       avg(len(valid_applications)) filter (shape = 'singleton') as mean_valid_applications,
       avg(len(string_split(text, ' '))) as mean_words
from user_tasks
group by all
order by dataset, dataset_id, category;

comment on view dataset_composition is 'Rows of each dataset by category, with naming, valid applications and length';
comment on column dataset_composition.dataset_id is 'Dataset';
comment on column dataset_composition.dataset is 'Name of the dataset';
comment on column dataset_composition.category is 'Primary category of the target, or several applications';
comment on column dataset_composition.tasks is 'User tasks';
comment on column dataset_composition.share_that_names_application is 'Share whose text addresses the application';
comment on column dataset_composition.mean_valid_applications is 'Mean number of valid applications of singletons';
comment on column dataset_composition.mean_words is 'Mean number of words';
