-- Where failed episodes went wrong, by run and by people or models.
select s.*, number, coalesce(agent, run_id) || ' on ' || suite || ', by ' || if(labeller_kind = 'person', 'people', 'models') as line,
       share as accuracy, share_low as accuracy_low, share_high as accuracy_high, null::double as published
from error_shares s join error_kinds using (kind)
order by suite, agent, run_id, labeller_kind desc, share desc, number
