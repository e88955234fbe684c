-- Diversity of the texts of each target application. Word counts are over all its texts; distinct-n and self-similarity over the first 200
-- in the order of their ids, which are hashes, so that datasets of any size compare. Words, pairs and triples
-- are hashes of 64 bits. A table, because it splits every text into words.
create table text_diversity as
with texts as (
    select dataset_id, dataset, target_application, category, len(string_split(text, ' ')) as length from user_tasks where shape = 'singleton'
), first_texts as (
    select dataset_id, target_application, task_id from user_tasks where shape = 'singleton'
    qualify row_number() over (partition by dataset_id, target_application order by task_id) <= 200
), words as (
    select dataset_id, f.target_application, task_id,
           list_transform(list_filter(string_split_regex(lower(text), '[^[:alnum:]'']+'), lambda word: word <> ''), lambda word: hash(word)) as words
    from first_texts f join user_tasks using (dataset_id, task_id)
), grams as (
    select *, list_transform(range(1, greatest(len(words), 1)), lambda place: hash(words[place], words[place + 1])) as pairs,
           list_transform(range(1, greatest(len(words) - 1, 1)), lambda place: hash(words[place], words[place + 1], words[place + 2])) as triples
    from words
), distinct_words as (
    select dataset_id, target_application, task_id, list_distinct(words) as own from words
), neighbours as (
    select dataset_id, target_application, len(own) as own_words, len(lead(own) over later) as next_words,
           len(list_distinct(list_concat(own, lead(own) over later))) as words_of_both
    from distinct_words window later as (partition by dataset_id, target_application order by task_id)
), similarity as (
    select dataset_id, target_application, avg((own_words + next_words - words_of_both) / nullif(words_of_both, 0)) as self_similarity
    from neighbours where next_words is not null group by all
), spread as (
    select dataset_id, target_application,
           len(list_distinct(flatten(list(words)))) / nullif(sum(len(words)), 0) as distinct_1,
           len(list_distinct(flatten(list(pairs)))) / nullif(sum(len(pairs)), 0) as distinct_2,
           len(list_distinct(flatten(list(triples)))) / nullif(sum(len(triples)), 0) as distinct_3
    from grams group by all
), lengths as (
    select dataset_id, dataset, target_application, category, count(*) as texts, avg(length) as mean_words,
           quantile_cont(length, 0.1) as words_10, median(length) as words_50, quantile_cont(length, 0.9) as words_90
    from texts group by all
)
select l.dataset_id, dataset, l.target_application as application, category, texts, mean_words, words_10, words_50, words_90,
       distinct_1, distinct_2, distinct_3, self_similarity
from lengths l join spread using (dataset_id, target_application) left join similarity using (dataset_id, target_application)
order by dataset, dataset_id, application;

comment on table text_diversity is 'Lengths, distinct-n and self-similarity of the texts of each target application';
comment on column text_diversity.dataset_id is 'Dataset';
comment on column text_diversity.dataset is 'Name of the dataset';
comment on column text_diversity.application is 'Target application';
comment on column text_diversity.category is 'Its primary category';
comment on column text_diversity.texts is 'Texts for single applications';
comment on column text_diversity.mean_words is 'Mean number of words';
comment on column text_diversity.words_10 is '10% of the texts have at most this many words';
comment on column text_diversity.words_50 is 'Median number of words';
comment on column text_diversity.words_90 is '90% of the texts have at most this many words';
comment on column text_diversity.distinct_1 is 'Distinct words over words, in 200 texts';
comment on column text_diversity.distinct_2 is 'Distinct word pairs over word pairs, in 200 texts';
comment on column text_diversity.distinct_3 is 'Distinct word triples over word triples, in 200 texts';
comment on column text_diversity.self_similarity is 'Mean share of words that two texts of the application have in common (Jaccard), over 199 pairs';
