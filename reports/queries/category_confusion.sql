-- The category confusion of one run.
select target_category, answered_category, tasks, share from category_confusion where run_id = ? order by target_category, answered_category
