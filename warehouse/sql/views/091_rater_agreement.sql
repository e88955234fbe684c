-- Krippendorff's alpha of the raters, people and models apart (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"): 1 is full agreement, 0 is chance.
-- Ordinal for the scales, nominal for the ground truth. On the axis of an ordinal measure a mark is in the middle of the equal marks.
create view rater_agreement as
with marks as (
    select study_id, rater_kind, task_id, measure, mark::varchar as mark
    from (unpivot (select study_id, rater_kind, task_id, grammar, realism from quality_ratings) on grammar, realism into name measure value mark)
    union all
    select study_id, rater_kind, task_id, 'ground truth right', ground_truth from quality_ratings
), of_tasks as (
    select study_id, rater_kind, measure, task_id, mark, count(*) as n, sum(count(*)) over (partition by study_id, rater_kind, measure, task_id) as ratings
    from marks group by study_id, rater_kind, measure, task_id, mark
    qualify ratings >= 2
), totals as (
    select study_id, rater_kind, measure, mark, sum(n) as n, sum(sum(n)) over (partition by study_id, rater_kind, measure order by mark) - sum(n) / 2 as middle
    from of_tasks group by study_id, rater_kind, measure, mark
), sizes as (
    select study_id, rater_kind, measure, sum(n) as pairable from totals group by study_id, rater_kind, measure
), distances as (
    select study_id, rater_kind, measure, a.mark as mark, b.mark as other, a.n * b.n as chance,
           case when measure = 'ground truth right' then (a.mark <> b.mark)::double else (a.middle - b.middle) ** 2 end as distance
    from totals a join totals b using (study_id, rater_kind, measure)
), observed as (
    select study_id, rater_kind, measure, sum(a.n * b.n * distance / (a.ratings - 1)) as disagreement
    from of_tasks a join of_tasks b using (study_id, rater_kind, measure, task_id)
    join distances d using (study_id, rater_kind, measure) where d.mark = a.mark and d.other = b.mark
    group by study_id, rater_kind, measure
), expected as (
    select study_id, rater_kind, measure, sum(chance * distance) / (any_value(pairable) - 1) as disagreement
    from distances join sizes using (study_id, rater_kind, measure) group by study_id, rater_kind, measure
)
select study_id, rater_kind, measure, 1 - o.disagreement / nullif(e.disagreement, 0) as alpha
from observed o join expected e using (study_id, rater_kind, measure)
order by study_id, rater_kind, measure;

comment on view rater_agreement is 'Krippendorff''s alpha of the people, and of the models, of each study: 1 is full agreement, 0 is chance; no row if no task has two ratings of the kind, null if all marks are the same';
comment on column rater_agreement.study_id is 'Study';
comment on column rater_agreement.rater_kind is 'person or model: the two are never mixed';
comment on column rater_agreement.measure is 'grammar, realism or ground truth right';
comment on column rater_agreement.alpha is 'Alpha: ordinal for grammar and realism, nominal for the words of the ground truth';
