-- Sets of applications against all valid ones: means over tasks, with 95% intervals.
select tasks, mean_precision, mean_precision_low, mean_precision_high, mean_recall, mean_recall_low, mean_recall_high, mean_f1, mean_f1_low, mean_f1_high,
       exact_share, exact_low as exact_share_low, exact_high as exact_share_high, mean_set_size, mean_valid_size
from set_scores where run_id = $run_id
