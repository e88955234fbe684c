select dataset, dataset_id, seed, count(*) filter (made_by = 'dataset') as ours_texts, count(*) filter (made_by = 'people') as people_texts, created_at
from mixtures join mixture_texts using (study_id) where study_id = $id group by all
