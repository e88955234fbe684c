-- Wrong answers over one split of a dataset, within the category of the target (pi_intra) and outside (pi_cross): runs together, and each.
with shown as (
    select pooled as protocol, runs || ' run' || if(runs = 1, '', 's') as model, null as run_id, wrong_answers, pi_intra, pi_intra_low, pi_intra_high, pi_cross, published_pi_intra as published
    from error_decomposition_over_models
    where dataset_id = $dataset_id and split = $split and answer_kind = 'application'
    union all
    select l.protocol, l.model, l.run_id, e.wrong_answers, e.pi_intra, e.pi_intra_low, e.pi_intra_high, e.pi_cross, null
    from error_decomposition e join latest_runs l using (run_id)
    where l.dataset_id = $dataset_id and l.split = $split and l.answer_kind = 'application'
)
select *, 1 - pi_intra_high as pi_cross_low, 1 - pi_intra_low as pi_cross_high
from shown where wrong_answers > 0
order by run_id is not null, pi_intra desc, run_id
