-- Row-normalised confusion of categories, "no answer" among them (AppSelectBench, section 6.3 and Figure 9). A table, because it sums every prediction by composition.
create table category_confusion as
select unit::varchar as run_id, target as target_category, answer as answered_category, tasks, share, share_low, share_high
from confusion_by('answer_cells', run_id, target_category, counted_category)
order by run_id, target_category, answered_category;

comment on table category_confusion is 'Shares of the tasks of each category by the category of their answer; valid answers count as the target';
comment on column category_confusion.run_id is 'Run';
comment on column category_confusion.target_category is 'Primary category of the target';
comment on column category_confusion.answered_category is 'Primary category of the counted answer, or no answer';
comment on column category_confusion.tasks is 'Tasks';
comment on column category_confusion.share is 'Share of the tasks of the target category';
comment on column category_confusion.share_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column category_confusion.share_high is 'Upper end of that interval';
