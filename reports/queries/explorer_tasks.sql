-- User tasks with their whole lineage; steps count from 1, as readers do.
select t.task_id, t.text, t.masked_text, t.narrated_text, t.target_application, t.valid_applications, t.category, t.split, t.shape, t.naming, t.style,
       t.says_goal, t.has_typo, t.drop_out_rate, t.locale, t.row_seed,
       list_transform(t.arguments, lambda a: [a.name, a.generator, a.value]) as arguments,
       case when t.shape <> 'singleton' then t.nodes end as nodes,
       list_transform(t.edges, lambda e: [e.source + 1, e.target + 1]) as edges,
       t.composition_id, c.composition_kind, c.workflow, c.atomic_tasks, list_transform(t.dropped_steps, lambda s: s + 1) as dropped_steps,
       t.paraphrase_status, t.paraphrase_model, t.paraphrase_prompt, t.paraphrase_call
from user_tasks t join compositions c using (composition_id)
where t.dataset_id = ?
