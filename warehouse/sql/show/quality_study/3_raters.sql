select rater, rater_kind, count(*) as ratings, count(*) filter (ground_truth <> 'right') as ground_truth_doubted
from quality_ratings where study_id = $id group by all order by rater
