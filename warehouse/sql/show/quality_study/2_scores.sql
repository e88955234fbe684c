select rater_kind, measure, raters, tasks, ratings, mean, mean_low, mean_high from quality_scores where study_id = $id order by rater_kind, measure
