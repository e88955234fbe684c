-- The scores of the runs of a suite that were judged, and how far judges agree.
select judge_kind as judges, run_id, agent, comparisons, wins, score, score_low, score_high, preferred,
       (select alpha from judging_agreement a where a.suite = b.suite and a.kind = b.judge_kind and measure = 'preference') as alpha
from bradley_terry b left join (select run_id, agent from suite_runs) using (run_id)
where suite = '{suite}'
order by judge_kind desc, score desc
