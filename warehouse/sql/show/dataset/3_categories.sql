select * exclude (dataset_id, dataset) from dataset_composition where dataset_id = $id order by category
