-- How the applications of the catalog spread over the categories, beside the paper's (AppSelectBench, Figure 3 and Appendix D).
create view applications_by_category as
with own as (
    select category, count(*) as applications, list(application order by application) as names from applications group by category
),
further as (
    select category, count(*) as applications from (select unnest(also_in) as category from applications) group by category
)
select coalesce(o.category, f.category) as category, coalesce(o.applications, 0) as applications,
       coalesce(o.applications, 0) / (select count(*) from applications) as share, coalesce(f.applications, 0) as also_in,
       coalesce(o.names, []) as names, p.value::bigint as published
from own o full join further f on f.category = o.category
left join published_figures p on p.measure = 'applications' and p.subject = coalesce(o.category, f.category)
order by applications desc, category;

comment on view applications_by_category is 'Applications of the catalog by category, as of the newest dataset';
comment on column applications_by_category.category is 'Category';
comment on column applications_by_category.applications is 'Number of applications with this primary category';
comment on column applications_by_category.share is 'Their share of all applications';
comment on column applications_by_category.also_in is 'Number of further applications in this category';
comment on column applications_by_category.names is 'Applications with this primary category';
comment on column applications_by_category.published is 'Applications that AppSelectBench lists for it in Appendix D, where one may be in several categories; null if it lists none';
