-- Means of the marks in each mixture, of the dataset's texts and of people's, and their difference; raters who are people and models apart.
-- A text that three people rate is one observation, so intervals are over texts. For their interval, marks from 1 to 5 are scaled to 0 to 1.
-- The interval of the difference is made from the two intervals (Newcombe 1998, Statistics in Medicine 17, 873-890, method 10; Zou and Donner 2008).
create view mixture_scores as
with marks as (
    unpivot (select study_id, rater_kind, text_id, grammar, realism, origin from mixture_ratings) on grammar, realism, origin into name measure value mark
), of_texts as (
    select study_id, rater_kind, measure, text_id, made_by, count(*) as ratings, (avg(mark) - 1) / 4 as place
    from marks join mixture_texts using (study_id, text_id) group by all
), summed as (
    select study_id, rater_kind, measure, made_by, count(*) as texts, sum(ratings) as ratings, avg(place) as place, var_pop(place) * count(*) as squares
    from of_texts group by all
), placed as (
    select *, interval_low(place, texts, texts, squares) as low, interval_high(place, texts, texts, squares) as high from summed
)
select study_id, m.dataset_id, m.dataset, rater_kind,
       (select count(distinct rater) from mixture_ratings r where r.study_id = o.study_id and r.rater_kind = o.rater_kind) as raters,
       measure, o.ratings + p.ratings as ratings, o.texts as ours_texts, p.texts as people_texts,
       1 + 4 * o.place as ours, 1 + 4 * o.low as ours_low, 1 + 4 * o.high as ours_high,
       1 + 4 * p.place as people, 1 + 4 * p.low as people_low, 1 + 4 * p.high as people_high,
       4 * (o.place - p.place) as difference,
       difference - 4 * sqrt((o.place - o.low) ^ 2 + (p.high - p.place) ^ 2) as difference_low,
       difference + 4 * sqrt((o.high - o.place) ^ 2 + (p.place - p.low) ^ 2) as difference_high
from placed o join placed p using (study_id, rater_kind, measure) join mixtures m using (study_id)
where o.made_by = 'dataset' and p.made_by = 'people'
order by m.dataset, study_id, rater_kind, measure;

comment on view mixture_scores is 'Mean marks of the dataset''s texts and of people''s in each mixture, and their difference, with 95% intervals over texts; raters who are people and models apart';
comment on column mixture_scores.study_id is 'Mixture';
comment on column mixture_scores.dataset_id is 'Mixed dataset';
comment on column mixture_scores.dataset is 'Name of that dataset';
comment on column mixture_scores.rater_kind is 'person or model';
comment on column mixture_scores.raters is 'Raters of that kind';
comment on column mixture_scores.measure is 'grammar, realism or origin, from 1 to 5';
comment on column mixture_scores.ratings is 'Ratings of both kinds of texts';
comment on column mixture_scores.ours_texts is 'Rated texts of the dataset';
comment on column mixture_scores.people_texts is 'Rated texts of people';
comment on column mixture_scores.ours is 'Mean of the dataset''s texts: over texts, of the mean over raters';
comment on column mixture_scores.ours_low is 'Lower end of its 95% interval';
comment on column mixture_scores.ours_high is 'Upper end of its 95% interval';
comment on column mixture_scores.people is 'The same mean of people''s texts';
comment on column mixture_scores.people_low is 'Lower end of its 95% interval';
comment on column mixture_scores.people_high is 'Upper end of its 95% interval';
comment on column mixture_scores.difference is 'ours minus people';
comment on column mixture_scores.difference_low is 'Lower end of its 95% interval';
comment on column mixture_scores.difference_high is 'Upper end of its 95% interval';
