select study_id, seed, created_at from mixtures where dataset_id = $id order by created_at
