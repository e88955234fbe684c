select t.dataset, t.dataset_id, t.text, t.target_application, t.valid_applications, t.category, t.split, t.shape, t.naming, t.style, t.voice, t.says_goal,
       t.has_typo, t.composition_id, c.composition_kind, c.workflow, t.dropped_steps, t.drop_out_rate, t.locale, t.world, t.row_seed, t.masked_text,
       t.paraphrase_status, t.paraphrase_model, t.paraphrase_call, t.narrated_text
from user_tasks t left join compositions c using (composition_id)
where t.task_id = $id
order by t.dataset, t.dataset_id
