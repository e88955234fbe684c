-- The paper's own overall figures, one row a model.
select model,
       max(accuracy) filter (protocol = 'zero_shot') as zero_shot,
       max(accuracy) filter (protocol = 'few_shot') as few_shot,
       max(accuracy) filter (protocol = 'ras') as ras,
       max(accuracy) filter (protocol not in ('zero_shot', 'few_shot', 'ras')) as overall,
       any_value(source) as source
from published_accuracy
where category = 'All Application Domains'
group by model
order by overall desc, model
