-- Version 2 has the rest of ProSoftArena's annotation; before it every episode was composed, and nobody had played it.
select *, composition_id as task, null::varchar as subfield, []::varchar[] as evaluation_criteria, []::varchar[] as rubric,
       null::double as oracle_seconds, null::integer as human_steps, null::double as human_seconds, null::varchar as human_recording
from {source}
