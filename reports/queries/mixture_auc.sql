-- How well raters tell the dataset's texts from people's, over all raters of a kind and for each, people before models.
select study_id, rater_kind, coalesce(rater, 'mean of all') as rater, texts, ours_texts, people_texts, auc, auc_low, auc_high
from mixture_auc where dataset_id = $dataset_id
order by study_id, rater_kind desc, texts, mixture_auc.rater nulls first
