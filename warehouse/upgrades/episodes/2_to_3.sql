-- Version 3 says what an episode damaged; before it nobody looked.
select *, null::varchar[] as side_effects from {source}
