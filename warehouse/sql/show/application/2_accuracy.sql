select run_id, dataset, protocol, model, tasks, correct, accuracy, accuracy_low, accuracy_high
from accuracy_by_application where application = $id order by dataset, protocol, run_id
