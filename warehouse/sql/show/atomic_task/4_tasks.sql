select t.task_id, t.dataset, t.split, t.text
from user_tasks t join compositions c using (composition_id) where list_contains(c.atomic_tasks, $id) order by t.dataset, t.task_id limit 20
