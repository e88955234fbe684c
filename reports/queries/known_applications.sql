-- Every application of the catalog.
select application, title, category, also_in, vendor, platform, aliases, description from applications order by category, title
