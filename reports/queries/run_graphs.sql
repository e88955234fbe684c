-- Graphs of applications against the tasks': means over tasks, by shape.
select shape, tasks, node_precision, node_recall, node_f1, node_f1_low, node_f1_high, edge_f1, exact_share, exact_low as exact_share_low, exact_high as exact_share_high,
       kendall_tau, chains
from graph_scores where run_id = $run_id order by shape
