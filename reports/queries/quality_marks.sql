-- Every mark that people gave in the studies of a dataset, for their agreement.
select r.study_id, r.rater, r.task_id, r.grammar, r.realism, r.ground_truth
from quality_ratings r join quality_studies s using (study_id)
where s.dataset_id = $dataset_id and r.rater_kind = 'person'
order by r.study_id, r.rater, r.task_id
