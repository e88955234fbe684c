-- Version 2 has the seconds that the model took; before it they were part of all seconds, and not told apart.
select *, null::double as model_seconds from {source}
