select dataset, dataset_id, protocol, model, openness, prompt, sampling, split, answer_kind, len(candidates) as candidates, at_once, started_at
from runs where run_id = $id
