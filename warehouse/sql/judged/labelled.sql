-- Where the failed episodes of a suite went wrong, and how far labellers agree.
select labeller_kind as labellers, run_id, agent, title as kind, labelled, errors, share, share_low, share_high,
       (select alpha from judging_agreement a where a.suite = e.suite and a.kind = e.labeller_kind and measure = 'kind of error') as alpha
from error_shares e
where suite = '{suite}' and errors > 0
order by labeller_kind desc, run_id, share desc
