select run_id, model, shape, tasks, node_f1, node_f1_low, node_f1_high, edge_f1, exact_share, kendall_tau
from graph_scores where run_id in ({runs})
