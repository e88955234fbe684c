-- Table 3 and Figure 8: accuracy by category over the language models that were run over one split of a dataset, or over all runs where none was.
select c.place, category, pooled || ', ' || max(runs) over () || ' run' || if(max(runs) over () = 1, '', 's') as whose, tasks, accuracy, accuracy_low, accuracy_high,
       p.value as published
from accuracy_by_category_over_models c left join published_figures p on p.measure = 'accuracy' and p.subject = c.category
where dataset_id = $dataset_id and split = $split and answer_kind = 'application'
qualify pooled = max(pooled) over ()
order by c.place, category
