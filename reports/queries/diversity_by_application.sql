-- Diversity, manner and coverage of a dataset's texts by application, with how far the newest heuristic run gets from words alone.
with heuristic as (
    select b.application, b.accuracy, b.accuracy_low, b.accuracy_high
    from accuracy_by_application b join latest_runs l using (run_id)
    where l.dataset_id = $dataset_id and l.protocol = 'heuristic'
    qualify row_number() over (partition by b.application order by l.started_at desc, l.run_id) = 1
)
select t.application, a.title, t.category, t.texts, t.mean_words, t.words_10, t.words_90, t.distinct_1, t.distinct_2, t.distinct_3, t.self_similarity,
       n.mean_steps, n.share_with_drop_out, n.share_naming_application, n.share_naming_kind, n.share_of_fragments, n.most_recurrences,
       c.atomic_tasks, c.used, h.accuracy as heuristic_accuracy, h.accuracy_low as heuristic_accuracy_low, h.accuracy_high as heuristic_accuracy_high
from text_diversity t join narration_profile n using (dataset_id, application) join catalog_coverage c using (dataset_id, application)
join applications a using (application) left join heuristic h using (application)
where t.dataset_id = $dataset_id
order by a.title
