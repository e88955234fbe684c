-- Diversity, manner and coverage of a dataset's texts: means over the applications of each category, and over all.
-- favg, since a plain mean depends on the order of its rows in the last digit, and two runs of this query then round to different figures.
with of_applications as (
    select t.category, t.application, t.texts, t.mean_words, t.words_10, t.words_90, t.distinct_1, t.distinct_2, t.distinct_3, t.self_similarity,
           n.mean_steps, n.share_with_drop_out, n.share_naming_application, n.share_naming_kind, n.share_of_fragments, n.most_recurrences,
           c.atomic_tasks, c.used
    from text_diversity t join narration_profile n using (dataset_id, application) join catalog_coverage c using (dataset_id, application)
    where t.dataset_id = $dataset_id
)
select coalesce(category, 'all') as category, sum(texts) as texts, favg(mean_words) as mean_words, favg(words_10) as words_10, favg(words_90) as words_90,
       favg(distinct_1) as distinct_1, favg(distinct_2) as distinct_2, favg(distinct_3) as distinct_3, favg(self_similarity) as self_similarity,
       favg(mean_steps) as mean_steps, favg(share_with_drop_out) as share_with_drop_out, favg(share_naming_application) as share_naming_application,
       favg(share_naming_kind) as share_naming_kind, favg(share_of_fragments) as share_of_fragments, max(most_recurrences) as most_recurrences,
       sum(atomic_tasks) as atomic_tasks, sum(used) as used
from of_applications
group by grouping sets ((category), ())
order by category = 'all', category
