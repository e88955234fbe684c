-- Every run, as a reader tells it from others.
select run_id, dataset_id, dataset, protocol, model, split from runs order by dataset, started_at, run_id
