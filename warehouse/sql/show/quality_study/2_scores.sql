select rater_kind, measure, raters, tasks, ratings, mean, mean_low, mean_high, alpha
from quality_scores left join rater_agreement using (study_id, rater_kind, measure) where study_id = $id order by rater_kind, measure
