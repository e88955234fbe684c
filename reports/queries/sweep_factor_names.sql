-- What varies in a sweep, and its values in the order of the cells.
select factor, list(distinct_value order by first_cell) as values
from (select factor, value as distinct_value, min(number) as first_cell from sweep_factors where sweep_id = $sweep_id group by factor, value)
group by factor order by min(first_cell), factor
