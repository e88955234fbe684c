-- Means of the dataset's texts and of people's in the mixtures of a dataset, with their difference, people before models.
select study_id, rater_kind, raters, measure, ours_texts, people_texts, ours, ours_low, ours_high, people, people_low, people_high,
       difference, difference_low, difference_high
from mixture_scores where dataset_id = $dataset_id
order by study_id, rater_kind desc, measure
