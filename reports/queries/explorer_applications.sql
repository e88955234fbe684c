-- Titles and categories of the applications.
select application, title, category from applications order by application
