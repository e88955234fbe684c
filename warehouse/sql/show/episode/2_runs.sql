select e.run_id, e.agent, e.start, e.repeat, e.status, e.reward, e.steps, e.malformed, e.seconds, e.model_seconds, e.cost_usd, e.fault
from episodes e join suite_runs r using (run_id) where e.episode_id = $id order by r.started_at, e.run_id, e.repeat
