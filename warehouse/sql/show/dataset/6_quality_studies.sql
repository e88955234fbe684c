select study_id, tasks, seed, created_at from quality_studies where dataset_id = $id order by created_at
