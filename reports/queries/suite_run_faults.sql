-- The faults of the infrastructure in a run.
select run_id, episode_id, repeat, application, instruction, tries, seconds, fault
from episodes where run_id = $run_id and fault is not null order by episode_id, repeat
