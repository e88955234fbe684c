-- In how many tasks one of the k nearest cards is that of a valid application, with 95% intervals.
select k, tasks, recall, recall_low, recall_high from retrieval_recall where run_id = $run_id order by k
