-- The signs that raters named, as they named them (in small letters), with the texts of each origin that they were named for.
create view mixture_signs as
with named as (
    select study_id, rater_kind, rater, text_id, lower(trim(unnest(string_split(replace(signs, chr(10), ';'), ';')))) as sign from mixture_ratings
)
select study_id, m.dataset_id, m.dataset, rater_kind, sign, count(distinct rater) as raters,
       count(distinct text_id) filter (made_by = 'dataset') as ours_texts, count(distinct text_id) filter (made_by = 'people') as people_texts
from named join mixture_texts using (study_id, text_id) join mixtures m using (study_id)
where sign <> ''
group by study_id, m.dataset_id, m.dataset, rater_kind, sign
order by m.dataset, study_id, rater_kind, ours_texts + people_texts desc, sign;

comment on view mixture_signs is 'Signs of the origin that the raters of each mixture named, with the texts that they were named for';
comment on column mixture_signs.study_id is 'Mixture';
comment on column mixture_signs.dataset_id is 'Mixed dataset';
comment on column mixture_signs.dataset is 'Name of that dataset';
comment on column mixture_signs.rater_kind is 'person or model';
comment on column mixture_signs.sign is 'The sign, in the words of the raters';
comment on column mixture_signs.raters is 'Raters who named it';
comment on column mixture_signs.ours_texts is 'Texts of the dataset that it was named for';
comment on column mixture_signs.people_texts is 'Texts of people that it was named for';
