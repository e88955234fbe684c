-- Version 6 names the voice of a text and the world of its values; before it there were none.
select *, null::varchar as voice, null::varchar as world
from {source}
