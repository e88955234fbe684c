-- Every prediction that counts, of tasks with one application (graphs have their own scores). Confusion counts a valid answer as the target.
create view scored_predictions as
with scored_runs as materialized (
    select run_id, dataset_id, candidate_list(candidates) as candidate_list from runs where answer_kind <> 'graph'
)
select
    p.run_id,
    p.task_id,
    r.dataset_id,
    t.text,
    s.composition_id,
    s.target_application,
    s.category as target_category,
    p.predicted_application,
    case when p.is_correct then s.target_application else coalesce(p.predicted_application, 'no answer') end as counted_application,
    case when p.is_correct then s.category else coalesce(a.category, 'no answer') end as counted_category,
    p.status,
    p.is_correct,
    s.chance
from predictions p
join scored_runs r using (run_id)
join scored_tasks s on s.dataset_id = r.dataset_id and s.candidate_list = r.candidate_list and s.task_id = p.task_id
join user_tasks t on t.dataset_id = r.dataset_id and t.task_id = p.task_id
left join candidates a on a.dataset_id = r.dataset_id and a.application = p.predicted_application
where p.status <> 'not_applicable';

comment on view scored_predictions is 'Predictions that apply, with the target, the answer, and the answer that confusion counts';
comment on column scored_predictions.run_id is 'Run';
comment on column scored_predictions.task_id is 'User task';
comment on column scored_predictions.dataset_id is 'Dataset of the run';
comment on column scored_predictions.text is 'What the user types';
comment on column scored_predictions.composition_id is 'Composition, by which errors are clustered';
comment on column scored_predictions.target_application is 'Application that the text was made for';
comment on column scored_predictions.target_category is 'Primary category of the target';
comment on column scored_predictions.predicted_application is 'Answer; null if it is not in the list';
comment on column scored_predictions.counted_application is 'The target if the answer is valid, the answer otherwise, or no answer';
comment on column scored_predictions.counted_category is 'Primary category of the counted application, or no answer';
comment on column scored_predictions.status is 'Status of the answer';
comment on column scored_predictions.is_correct is 'Whether the answer is valid';
comment on column scored_predictions.chance is 'Share of the candidates that are valid';
