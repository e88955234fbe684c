-- Windows Agent Arena's Table 4, as it was published.
pivot (select true as is_theirs, line, model, observation, part, success from published_success where source = 'Windows Agent Arena')
on part in (
    'Office' as office, 'Web Browser' as browser, 'Windows System' as system, 'Coding' as coding, 'Media & Video' as media, 'Windows Utils' as utilities,
    'all' as overall
)
using first(success)
order by line
