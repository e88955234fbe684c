select status, count(*) as calls, sum(cost_usd) as cost_usd, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens
from model_calls where purpose = $id group by status order by status
