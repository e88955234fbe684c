-- Signs that raters named in the mixtures of a dataset, people before models.
select study_id, rater_kind, sign, raters, ours_texts, people_texts
from mixture_signs where dataset_id = $dataset_id
order by study_id, rater_kind desc, ours_texts + people_texts desc, sign
