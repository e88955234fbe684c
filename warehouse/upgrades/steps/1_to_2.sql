-- Version 2 has what code of an agent printed, and notes on what a model was shown; before it no agent wrote code, and nobody noted anything.
select *, null::varchar as printed, null::varchar[] as notes from {source}
