-- Precision, recall and F1 of the applications over the newest runs together, with their places from the top and from the bottom (AppSelectBench, Figure 10).
-- Applications with the same F1 share a place. A table, like that of single runs.
create table application_scores_over_models as
select d.dataset_id, d.dataset, d.split, d.answer_kind, d.pooled, d.runs, s.* exclude (unit),
       if(s.support > 0, rank() over (partition by d.pool, s.support > 0 order by s.f1 desc), null) as place_from_top,
       if(s.support > 0, rank() over (partition by d.pool, s.support > 0 order by s.f1), null) as place_from_bottom,
       p.value as published_f1
from scores_by('pooled_cells', pool) s
join (select pool, dataset_id, dataset, split, answer_kind, pooled, count(*) as runs from pools group by all) d on d.pool = s.unit
left join published_figures p on p.measure = 'f1' and p.subject = s.application and d.pooled = 'language models'
order by d.dataset, d.dataset_id, d.split, d.answer_kind, d.pooled, place_from_top nulls last, s.application;

comment on table application_scores_over_models is 'Precision, recall and F1 of every application over the newest runs of a dataset together';
comment on column application_scores_over_models.dataset_id is 'Dataset of the runs';
comment on column application_scores_over_models.dataset is 'Name of that dataset';
comment on column application_scores_over_models.split is 'Split of the run, or all';
comment on column application_scores_over_models.answer_kind is 'application or set; a set counts by its first application';
comment on column application_scores_over_models.pooled is 'Which runs: all, or those of language models';
comment on column application_scores_over_models.runs is 'Number of those runs';
comment on column application_scores_over_models.application is 'Application';
comment on column application_scores_over_models.support is 'Tasks made for this application';
comment on column application_scores_over_models.answers is 'Answers that count as this application';
comment on column application_scores_over_models.hits is 'Tasks made for this application with a valid answer';
comment on column application_scores_over_models.precision is 'Hits over answers; null if no answer counts as it';
comment on column application_scores_over_models.precision_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column application_scores_over_models.precision_high is 'Upper end of that interval';
comment on column application_scores_over_models.recall is 'Hits over support; null if no task was made for it';
comment on column application_scores_over_models.recall_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column application_scores_over_models.recall_high is 'Upper end of that interval';
comment on column application_scores_over_models.f1 is 'Harmonic mean of precision and recall';
comment on column application_scores_over_models.f1_low is 'Lower end of its 95% interval: Wilson, clustered by composition, of the Jaccard index that F1 is a function of';
comment on column application_scores_over_models.f1_high is 'Upper end of that interval';
comment on column application_scores_over_models.place_from_top is 'Place by F1 among the applications with support, best first; equal F1 share a place';
comment on column application_scores_over_models.place_from_bottom is 'Place by F1 among the applications with support, worst first; equal F1 share a place';
comment on column application_scores_over_models.published_f1 is 'AppSelectBench, section 6.3, over its language models; null if it has none';
