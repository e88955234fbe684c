-- Errors within a category and across categories (AppSelectBench, section 6.3, equation 2).
create view error_decomposition as
with wrong as (
    select run_id, (counted_category = target_category)::int as intra
    from scored_predictions where not is_correct and predicted_application is not null
),
shares as (
    select run_id, count(*) as wrong_answers, avg(intra) as pi_intra from wrong group by run_id
)
select r.run_id, r.dataset, r.protocol, r.model, coalesce(s.wrong_answers, 0) as wrong_answers, s.pi_intra, 1 - s.pi_intra as pi_cross,
       wilson_low(s.pi_intra, s.wrong_answers) as pi_intra_low, wilson_high(s.pi_intra, s.wrong_answers) as pi_intra_high
from runs r left join shares s using (run_id)
order by r.run_id;

comment on view error_decomposition is 'Of the wrong answers in the list, the share within the category of the target, and the rest';
comment on column error_decomposition.run_id is 'Run';
comment on column error_decomposition.dataset is 'Name of the dataset';
comment on column error_decomposition.protocol is 'Protocol';
comment on column error_decomposition.model is 'What answered';
comment on column error_decomposition.wrong_answers is 'Wrong answers that are in the list';
comment on column error_decomposition.pi_intra is 'Share whose primary category is that of the target; null where nothing is wrong';
comment on column error_decomposition.pi_cross is 'The rest';
comment on column error_decomposition.pi_intra_low is 'Lower end of the 95% Wilson interval of pi_intra';
comment on column error_decomposition.pi_intra_high is 'Upper end of that interval';
