-- Errors within a category and across categories (AppSelectBench, section 6.3, equation 2). A table, because it sums every wrong answer by composition.
create temporary macro decomposition_by(cells, unit_column) as table
    with wrong as (
        select unit_column as unit, composition, sum(tasks - correct)::bigint as answers,
               (sum(tasks - correct) filter (counted_category = target_category))::bigint as found
        from query_table(cells) where tasks > correct and counted_application <> 'no answer' group by all
    ),
    sums as (
        select unit, sum(answers)::bigint as wrong_answers, coalesce(sum(found), 0) / sum(answers) as pi_intra,
               sum(coalesce(found, 0) ^ 2) as kk, sum(coalesce(found, 0) * answers) as kn, sum(answers ^ 2) as nn
        from wrong group by all
    )
    select unit, wrong_answers, pi_intra, interval_low(pi_intra, wrong_answers, nn, residual_squares(pi_intra, kk, kn, nn)) as pi_intra_low,
           interval_high(pi_intra, wrong_answers, nn, residual_squares(pi_intra, kk, kn, nn)) as pi_intra_high
    from sums;

create table error_decomposition as
select r.run_id, r.dataset, r.protocol, r.model, coalesce(s.wrong_answers, 0) as wrong_answers, s.pi_intra, 1 - s.pi_intra as pi_cross,
       s.pi_intra_low, s.pi_intra_high
from runs r left join decomposition_by('answer_cells', run_id) s on s.unit::varchar = r.run_id
order by r.run_id;

comment on table error_decomposition is 'Shares of the wrong answers in the list within the category of the target and outside it';
comment on column error_decomposition.run_id is 'Run';
comment on column error_decomposition.dataset is 'Name of the dataset';
comment on column error_decomposition.protocol is 'Protocol';
comment on column error_decomposition.model is 'Model or baseline that answered';
comment on column error_decomposition.wrong_answers is 'Wrong answers that are in the list';
comment on column error_decomposition.pi_intra is 'Share whose primary category is that of the target; null if nothing is wrong';
comment on column error_decomposition.pi_cross is 'Share of the other wrong answers';
comment on column error_decomposition.pi_intra_low is 'Lower end of the 95% Wilson interval of pi_intra, clustered by composition';
comment on column error_decomposition.pi_intra_high is 'Upper end of that interval';
