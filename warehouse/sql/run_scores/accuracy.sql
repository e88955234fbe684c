select run_id, protocol, model, tasks, accuracy, accuracy_low, accuracy_high, answered, accuracy_of_answered, retrieval_recall, cost_usd
from accuracy where run_id in ({runs})
