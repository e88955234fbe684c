-- Scores of the quality studies of a dataset with the raters' agreement, people before models.
select study_id, rater_kind, raters, measure, tasks, ratings, mean, mean_low, mean_high, alpha
from quality_scores left join rater_agreement using (study_id, rater_kind, measure)
where dataset_id = $dataset_id
order by study_id, rater_kind desc, measure
