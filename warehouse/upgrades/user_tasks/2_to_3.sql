-- Version 3 says at which level a text names its application, and the locale of its values; before it there were names or nothing, and English values.
select *, case when names_application then 'application' else 'none' end as naming, 'en' as locale from {source}
