select run_id, repeat, looked.holds, looked."check", looked.got
from (select run_id, repeat, unnest(checks) as looked, generate_subscripts(checks, 1) as position from episodes where episode_id = $id)
order by run_id, repeat, position
