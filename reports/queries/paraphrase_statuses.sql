-- What became of the paraphrases that were asked for, with 95% intervals that take compositions as clusters.
with asked as (
    select paraphrase_status as status, composition_id, count(*) as texts, sum(count(*)) over (partition by composition_id) as of_composition
    from user_tasks where dataset_id = $dataset_id and paraphrase_status is not null group by all
), compositions as (
    select sum(of_composition) as asked, sum(of_composition ^ 2) as nn from (select distinct composition_id, of_composition from asked)
), shares as (
    select status, sum(texts)::bigint as texts, any_value(c.asked) as asked, any_value(c.nn) as nn, sum(texts) / any_value(c.asked) as share,
           residual_squares(sum(texts) / any_value(c.asked), sum(texts ^ 2), sum(texts * of_composition), any_value(c.nn)) as squares
    from asked cross join compositions c group by status
)
select status, texts, share, interval_low(share, asked, nn, squares) as share_low, interval_high(share, asked, nn, squares) as share_high
from shares order by texts desc, status
