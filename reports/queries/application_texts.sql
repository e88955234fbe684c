-- How the texts of an application are told, in each dataset.
select t.dataset_id, t.dataset, t.texts, t.mean_words, t.words_10, t.words_90, t.distinct_1, t.distinct_2, t.distinct_3, t.self_similarity, n.mean_steps,
       n.share_with_drop_out, n.share_naming_application, n.share_naming_kind, n.share_of_fragments, n.most_recurrences, c.atomic_tasks, c.used
from text_diversity t join narration_profile n using (dataset_id, application) join catalog_coverage c using (dataset_id, application)
where t.application = $application and t.dataset_id = $dataset_id
