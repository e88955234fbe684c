-- What became of the paraphrases that were asked for, with 95% intervals that take compositions as clusters.
with cells as (
    select paraphrase_status as status, composition_id, count(*) as texts
    from user_tasks where dataset_id = $dataset_id and paraphrase_status is not null group by paraphrase_status, composition_id
), clusters as (
    select composition_id, sum(texts) as asked from cells group by composition_id
), totals as (
    select sum(asked) as asked, sum(asked ^ 2) as nn from clusters
), sums as (
    select status, sum(texts)::bigint as texts, sum(texts ^ 2) as kk, sum(texts * asked) as kn from cells join clusters using (composition_id) group by status
), shares as (
    select status, texts, asked, nn, texts / asked as share, residual_squares(texts / asked, kk, kn, nn) as squares from sums cross join totals
)
select status, texts, share, interval_low(share, asked, nn, squares) as share_low, interval_high(share, asked, nn, squares) as share_high
from shares order by texts desc, status
