select q.task_id, q.rater, q.ground_truth, q.comment, t.text
from quality_ratings q join quality_studies s using (study_id) join user_tasks t on t.dataset_id = s.dataset_id and t.task_id = q.task_id
where q.study_id = $id and q.ground_truth <> 'right' order by q.task_id, q.rater
