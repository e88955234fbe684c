-- Figure 10: the ten applications at the top and at the bottom by F1, over the language models that were run, or over all runs where none was.
with placed as (
    select s.*, a.title, count(*) over (partition by s.f1) as tied, count(*) over () as applications,
           row_number() over (order by s.f1 desc, s.support desc, s.application) as from_top
    from (from application_scores_over_models
          where dataset_id = $dataset_id and split = $split and answer_kind = 'application' and support > 0
          qualify pooled = max(pooled) over ()) s
    join applications a using (application)
)
select case when from_top <= (applications + 1) // 2 then 'top' else 'bottom' end as end, place_from_top as place, tied, application, title, support, answers,
       f1, f1_low, f1_high, p.value as published
from placed left join published_figures p on p.measure = 'f1' and p.subject = application
where from_top <= least(10, (applications + 1) // 2) or from_top > applications - least(10, applications // 2)
order by from_top
