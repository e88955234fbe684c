-- Version 2 begins when a person wanted the machine, and its seconds hold the waiting, as those of an agent's call always did; before it, they began when
-- the person had it.
select * replace (
    if(initiated_by = 'human', strftime(cast(began_at as timestamp) - to_milliseconds(round(waited_seconds * 1000)::bigint), '%Y-%m-%dT%H:%M:%S.%g+00:00'), began_at)
        as began_at,
    if(initiated_by = 'human', seconds + waited_seconds, seconds) as seconds
) from {source}
