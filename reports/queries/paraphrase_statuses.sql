-- What became of the paraphrases that were asked for, with 95% Wilson intervals.
with counted as (
    select paraphrase_status as status, count(*) as texts, sum(count(*)) over () as asked
    from user_tasks where dataset_id = $dataset_id and paraphrase_status is not null group by all
)
select status, texts, texts / asked as share, wilson_low(texts / asked, asked) as share_low, wilson_high(texts / asked, asked) as share_high
from counted order by texts desc, status
