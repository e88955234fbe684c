select category, tasks, correct, accuracy, accuracy_low, accuracy_high from accuracy_by_category where run_id = $id order by category
