-- Errors within a category and across categories over the newest runs together, beside the paper's figure. A table, like that of single runs.
create table error_decomposition_over_models as
select d.dataset_id, d.dataset, d.split, d.answer_kind, d.pooled, d.runs, s.wrong_answers, s.pi_intra, 1 - s.pi_intra as pi_cross,
       s.pi_intra_low, s.pi_intra_high, p.value as published_pi_intra
from decomposition_by('pooled_cells', pool) s
join (select pool, dataset_id, dataset, split, answer_kind, pooled, count(*) as runs from pools group by all) d on d.pool = s.unit
left join published_figures p on p.measure = 'pi_intra' and d.pooled = 'language models'
order by d.dataset, d.dataset_id, d.split, d.answer_kind, d.pooled;

comment on table error_decomposition_over_models is 'Shares of the wrong answers over the newest runs of a dataset together; no row if nothing is wrong';
comment on column error_decomposition_over_models.dataset_id is 'Dataset of the runs';
comment on column error_decomposition_over_models.dataset is 'Name of that dataset';
comment on column error_decomposition_over_models.split is 'Split of the run, or all';
comment on column error_decomposition_over_models.answer_kind is 'application or set; a set counts by its first application';
comment on column error_decomposition_over_models.pooled is 'Which runs: all, or those of language models';
comment on column error_decomposition_over_models.runs is 'Number of those runs';
comment on column error_decomposition_over_models.wrong_answers is 'Wrong answers that are in the list, over all those runs';
comment on column error_decomposition_over_models.pi_intra is 'Share whose primary category is that of the target';
comment on column error_decomposition_over_models.pi_cross is 'Share of the other wrong answers';
comment on column error_decomposition_over_models.pi_intra_low is 'Lower end of the 95% Wilson interval of pi_intra, clustered by composition';
comment on column error_decomposition_over_models.pi_intra_high is 'Upper end of that interval';
comment on column error_decomposition_over_models.published_pi_intra is 'AppSelectBench, section 6.3, over its language models; null for all';
