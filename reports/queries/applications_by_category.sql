-- Figure 3: how many applications of the catalog have each category as their primary one, how many more as a further one, and the paper's number.
select category, applications, also_in, published from applications_by_category order by applications desc, category
