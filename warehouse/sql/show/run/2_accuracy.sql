select tasks, correct, accuracy, accuracy_low, accuracy_high, chance, answered, accuracy_of_answered from accuracy where run_id = $id
