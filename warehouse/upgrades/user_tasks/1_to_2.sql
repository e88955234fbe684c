-- Version 2 says whether a text has a typo; before it none had.
select *, false as has_typo from {source}
