select dataset, dataset_id, seed, tasks, created_at from quality_studies where study_id = $id
