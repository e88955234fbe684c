select rater_kind, coalesce(rater, 'mean of all') as rater, texts, ours_texts, people_texts, auc, auc_low, auc_high
from mixture_auc where study_id = $id order by rater_kind, texts, mixture_auc.rater nulls first
