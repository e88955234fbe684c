-- Version 4 says the share that each check earned; before it no check was graded, so a check earned all or nothing.
select * replace (
    list_transform(checks, lambda one: {'check': one."check", 'got': one.got, 'holds': one.holds, 'share': one.holds::integer::double}) as checks
) from {source}
