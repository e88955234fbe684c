-- Means and shares of the quality studies (AppSelectBench, section 6.1), people and models apart.
-- A task that three people rate is one observation, so intervals are over tasks. For their interval, marks from 1 to 5 are scaled to 0 to 1.
create view quality_scores as
with marks as (
    select study_id, rater_kind, task_id, rater, measure, mark::double as mark
    from (unpivot (select study_id, rater_kind, task_id, rater, grammar, realism from quality_ratings) on grammar, realism into name measure value mark)
    union all
    select study_id, rater_kind, task_id, rater, 'ground truth right', (ground_truth = 'right')::int from quality_ratings
), of_tasks as (
    select study_id, rater_kind, measure, task_id, count(*) as ratings, avg(mark) as task_mean from marks group by all
), summed as (
    select study_id, rater_kind, measure, count(*) as tasks, sum(ratings) as ratings, avg(task_mean) as mean, var_pop(task_mean) * count(*) as squares from of_tasks group by all
), placed as (
    select *, if(measure = 'ground truth right', 0, 1) as lowest, if(measure = 'ground truth right', 1, 4) as width,
           (mean - lowest) / width as place, squares / width ^ 2 as place_squares
    from summed
)
select s.study_id, q.dataset_id, q.dataset, rater_kind,
       (select count(distinct rater) from quality_ratings r where r.study_id = s.study_id and r.rater_kind = s.rater_kind) as raters,
       measure, s.tasks, ratings, mean,
       least(mean, lowest + width * interval_low(place, s.tasks, s.tasks, place_squares)) as mean_low,
       greatest(mean, lowest + width * interval_high(place, s.tasks, s.tasks, place_squares)) as mean_high
from placed s join quality_studies q using (study_id)
order by q.dataset, s.study_id, rater_kind, measure;

comment on view quality_scores is 'Grammar and realism (means, 1 to 5) and the share of right ground truth in each study, people and models apart, with 95% intervals over tasks';
comment on column quality_scores.study_id is 'Study';
comment on column quality_scores.dataset_id is 'Sampled dataset';
comment on column quality_scores.dataset is 'Name of that dataset';
comment on column quality_scores.rater_kind is 'person or model';
comment on column quality_scores.raters is 'Raters of that kind';
comment on column quality_scores.measure is 'grammar, realism or ground truth right';
comment on column quality_scores.tasks is 'Rated tasks';
comment on column quality_scores.ratings is 'Ratings';
comment on column quality_scores.mean is 'Mean over tasks of the mean over raters';
comment on column quality_scores.mean_low is 'Lower end of the 95% interval';
comment on column quality_scores.mean_high is 'Upper end of the 95% interval';
