-- Diversity, manner and coverage of a dataset's texts: means over the applications of each category, and over all.
with of_applications as (
    select t.category, t.application, t.texts, t.mean_words, t.words_10, t.words_90, t.distinct_1, t.distinct_2, t.distinct_3, t.self_similarity,
           n.mean_steps, n.share_with_drop_out, n.share_naming_application, n.share_naming_kind, n.share_of_fragments, n.most_recurrences,
           c.atomic_tasks, c.used
    from text_diversity t join narration_profile n using (dataset_id, application) join catalog_coverage c using (dataset_id, application)
    where t.dataset_id = $dataset_id
)
select coalesce(category, 'all') as category, sum(texts) as texts, avg(mean_words) as mean_words, avg(words_10) as words_10, avg(words_90) as words_90,
       avg(distinct_1) as distinct_1, avg(distinct_2) as distinct_2, avg(distinct_3) as distinct_3, avg(self_similarity) as self_similarity,
       avg(mean_steps) as mean_steps, avg(share_with_drop_out) as share_with_drop_out, avg(share_naming_application) as share_naming_application,
       avg(share_naming_kind) as share_naming_kind, avg(share_of_fragments) as share_of_fragments, max(most_recurrences) as most_recurrences,
       sum(atomic_tasks) as atomic_tasks, sum(used) as used
from of_applications
group by grouping sets ((category), ())
order by category = 'all', category
