-- Graphs of applications against the tasks': means over tasks, by shape, with 95% intervals.
select shape, tasks, node_precision, node_precision_low, node_precision_high, node_recall, node_recall_low, node_recall_high, node_f1, node_f1_low, node_f1_high,
       edge_f1, edge_f1_low, edge_f1_high, with_edges, exact_share, exact_low as exact_share_low, exact_high as exact_share_high,
       kendall_tau, kendall_tau_low, kendall_tau_high, chains
from graph_scores where run_id = $run_id order by shape
