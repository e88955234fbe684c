-- Scores of the quality studies of a dataset, people before models.
select study_id, rater_kind, raters, measure, tasks, ratings, mean, mean_low, mean_high from quality_scores where dataset_id = $dataset_id
order by study_id, rater_kind desc, measure
