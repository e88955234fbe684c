-- How well raters tell the dataset's texts from people's: the area under the ROC curve of their guesses of the origin, which is the chance that
-- a text of the dataset gets a higher guess than a text of people, ties half. 0.5 is a coin, 1 is no mistake.
-- The variance is DeLong's (DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44, 837-845). The interval is that of a share with this variance.
-- At an AUC of 0 or 1 that variance is zero. There the texts are worth 4 * m * n / (m + n) rows, as in the variance of Hanley and McNeil (1982) near 1.
create view mixture_auc as
with guesses as (
    select study_id, rater_kind, null as rater, text_id, avg(origin) as guess, bool_or(recognised) as recognised from mixture_ratings group by all
    union all
    select study_id, rater_kind, rater, text_id, origin, recognised from mixture_ratings
), counted as (
    select study_id, rater_kind, rater, 'all' as texts, text_id, made_by, guess from guesses join mixture_texts using (study_id, text_id)
    union all
    select study_id, rater_kind, rater, 'not recognised', text_id, made_by, guess
    from guesses join mixture_texts using (study_id, text_id) where not recognised
), pairs as (
    select o.study_id, o.rater_kind, o.rater, o.texts, o.text_id as our_text, p.text_id as their_text,
           case when o.guess > p.guess then 1 when o.guess = p.guess then 0.5 else 0 end::double as won
    from counted o join counted p on o.study_id = p.study_id and o.rater_kind = p.rater_kind and o.rater is not distinct from p.rater and o.texts = p.texts
    where o.made_by = 'dataset' and p.made_by = 'people'
), of_ours as (
    select study_id, rater_kind, rater, texts, count(*) as n, avg(share) as auc, coalesce(var_samp(share), 0) as variance
    from (select study_id, rater_kind, rater, texts, our_text, avg(won) as share from pairs group by all) group by all
), of_people as (
    select study_id, rater_kind, rater, texts, count(*) as n, coalesce(var_samp(share), 0) as variance
    from (select study_id, rater_kind, rater, texts, their_text, avg(won) as share from pairs group by all) group by all
), joined as (
    select o.study_id, o.rater_kind, o.rater, o.texts, o.n as ours_texts, p.n as people_texts, o.auc,
           o.variance / o.n + p.variance / p.n as variance, 4 * o.n * p.n / (o.n + p.n) as worth
    from of_ours o join of_people p on o.study_id = p.study_id and o.rater_kind = p.rater_kind and o.rater is not distinct from p.rater and o.texts = p.texts
)
select j.study_id, m.dataset_id, m.dataset, rater_kind, rater, texts, ours_texts, people_texts, auc,
       interval_low(auc, worth, worth, variance * worth ^ 2) as auc_low, interval_high(auc, worth, worth, variance * worth ^ 2) as auc_high
from joined j join mixtures m using (study_id)
order by m.dataset, j.study_id, rater_kind, texts, rater nulls first;

comment on view mixture_auc is 'How well the raters of each mixture tell the dataset''s texts from people''s: AUC of their guesses of the origin, with DeLong''s 95% interval over texts';
comment on column mixture_auc.study_id is 'Mixture';
comment on column mixture_auc.dataset_id is 'Mixed dataset';
comment on column mixture_auc.dataset is 'Name of that dataset';
comment on column mixture_auc.rater_kind is 'person or model';
comment on column mixture_auc.rater is 'Rater; null for the mean guess of all raters of that kind';
comment on column mixture_auc.texts is 'all, or not recognised: without the texts that the rater, or any of the raters, knows from a benchmark';
comment on column mixture_auc.ours_texts is 'Texts of the dataset that count';
comment on column mixture_auc.people_texts is 'Texts of people that count';
comment on column mixture_auc.auc is 'Chance that a text of the dataset gets a higher guess than a text of people, ties half: 0.5 is a coin, 1 is no mistake';
comment on column mixture_auc.auc_low is 'Lower end of the 95% interval';
comment on column mixture_auc.auc_high is 'Upper end of the 95% interval';
