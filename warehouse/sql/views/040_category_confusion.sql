-- Row-normalised confusion of categories, "no answer" among them (AppSelectBench, section 6.3 and Figure 9).
create view category_confusion as
select run_id, target_category, counted_category as answered_category, count(*) as tasks,
       count(*) / sum(count(*)) over (partition by run_id, target_category) as share
from scored_predictions
group by run_id, target_category, counted_category
order by run_id, target_category, answered_category;

comment on view category_confusion is 'Of the tasks of a category, the share whose answer falls to each category; valid answers count as the target';
comment on column category_confusion.run_id is 'Run';
comment on column category_confusion.target_category is 'Primary category of the target';
comment on column category_confusion.answered_category is 'Primary category of the counted answer, or no answer';
comment on column category_confusion.tasks is 'Tasks';
comment on column category_confusion.share is 'Share of the tasks of the target category';
