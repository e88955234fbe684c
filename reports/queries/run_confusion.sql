-- Category confusion of a run: of the tasks of a category, where the answers fall, with 95% intervals. A valid answer counts as the target.
select run_id, target_category, answered_category, tasks, share, share_low, share_high
from category_confusion where run_id = $run_id order by target_category, answered_category
