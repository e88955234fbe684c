-- Bradley-Terry scores of the judged runs, with the marks by the rubrics.
select b.*, r.agent, p.agent as reference, m.mean_mark, m.mean_mark_low, m.mean_mark_high
from bradley_terry b left join suite_runs r using (run_id) left join suite_runs p on p.run_id = b.reference_run_id
left join rubric_scores m on m.suite = b.suite and m.judge_kind = b.judge_kind and m.run_id = b.run_id
order by b.suite, b.judge_kind desc, b.reference_run_id, b.score desc, b.run_id
