-- Accuracy of a run by the primary category of the target, and the paper's for the same model or baseline.
select c.category, c.protocol || ', ' || c.model as whose, c.tasks, c.accuracy, c.accuracy_low, c.accuracy_high, c.chance, p.accuracy as published
from accuracy_by_category c
left join published_accuracy p on p.category = c.category and is_published_as(c.model, c.protocol, p.model, p.protocol)
where c.run_id = $run_id
order by c.category
