-- Every table and view with its columns and comments, tables first, columns in their order.
with things as (
    select table_name as name, 'table' as kind, comment from duckdb_tables() where not internal
    union all
    select view_name, 'view', comment from duckdb_views() where not internal
)
select t.name, t.kind, t.comment, c.column_name, c.data_type, c.comment as column_comment
from things t join duckdb_columns() c on c.table_name = t.name and not c.internal
order by t.kind, t.name, c.column_index
