-- The same for each application, with how far the newest heuristic run gets from words alone.
select t.application, a.title, t.category, t.texts, t.mean_words, t.words_10, t.words_90, t.distinct_1, t.distinct_2, t.distinct_3, t.self_similarity,
       n.mean_steps, n.share_with_drop_out, n.share_naming_application, n.share_naming_kind, n.share_of_fragments, n.most_recurrences,
       c.atomic_tasks, c.used,
       (select b.accuracy from accuracy_by_application b join latest_runs l using (run_id)
        where l.dataset_id = t.dataset_id and b.protocol = 'heuristic' and b.application = t.application limit 1) as heuristic_accuracy
from text_diversity t join narration_profile n using (dataset_id, application) join catalog_coverage c using (dataset_id, application)
join applications a using (application)
where t.dataset_id = $dataset_id
order by a.title
