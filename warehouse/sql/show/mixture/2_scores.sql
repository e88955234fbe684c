select rater_kind, measure, raters, ours, people, difference, difference_low, difference_high from mixture_scores where study_id = $id order by rater_kind, measure
