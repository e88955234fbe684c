select t.dataset, t.dataset_id, count(distinct c.composition_id) as compositions, count(*) as user_tasks
from compositions c join user_tasks t using (composition_id) where list_contains(c.atomic_tasks, $id) group by all order by all
