select run_id, protocol, model, tasks, mean_precision, mean_recall, mean_f1, mean_f1_low, mean_f1_high, exact_share
from set_scores where run_id in ({runs})
