-- Sets of applications against all valid ones: means over tasks.
select tasks, mean_precision, mean_recall, mean_f1, mean_f1_low, mean_f1_high, exact_share, mean_set_size, mean_valid_size from set_scores where run_id = $run_id
