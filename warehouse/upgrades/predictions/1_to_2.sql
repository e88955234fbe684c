-- Version 2 has sets, graphs, what was retrieved and what a language model said; before it there was one application, and no language model.
select *, case when predicted_application is null then []::varchar[] else [predicted_application] end as predicted_applications,
       []::struct(source smallint, target smallint)[] as predicted_edges,
       null::double as node_precision, null::double as node_recall, null::double as node_f1, null::double as edge_f1,
       null::double as kendall_tau, null::boolean as is_exact,
       []::varchar[] as retrieved, null::varchar as said, []::varchar[] as calls, 0::bigint as input_tokens, 0::bigint as output_tokens
from {source}
