"""The Parquet schemas of episodes, their steps, interventions of people, published suites, and rollouts."""

from collections.abc import Mapping

import pyarrow as pa

_STRINGS = pa.list_(pa.string())
_CHECK = pa.struct([("check", pa.string()), ("got", pa.string()), ("holds", pa.bool_()), ("share", pa.float64())])

EPISODE_SCHEMAS: Mapping[str, pa.Schema] = {
    "episodes": pa.schema(
        [
            ("run_id", pa.string()),
            ("episode_id", pa.string()),
            ("repeat", pa.int32()),
            ("suite", pa.string()),
            ("agent", pa.string()),
            ("start", pa.string()),
            ("level", pa.string()),
            ("discipline", pa.string()),
            ("application", pa.string()),
            ("applications", _STRINGS),
            ("instruction", pa.string()),
            ("infeasible", pa.string()),
            ("status", pa.string()),
            ("reward", pa.float64()),
            ("is_success", pa.bool_()),
            ("steps", pa.int32()),
            ("step_budget", pa.int32()),
            ("malformed", pa.int32()),
            ("ready_seconds", pa.float64()),
            ("seconds", pa.float64()),
            ("first_application", pa.string()),
            ("valid_applications", _STRINGS),
            ("is_valid_choice", pa.bool_()),
            ("input_tokens", pa.int64()),
            ("output_tokens", pa.int64()),
            ("cost_usd", pa.float64()),
            ("model_seconds", pa.float64()),
            ("checks", pa.list_(_CHECK)),
            ("side_effects", _STRINGS),
            ("tries", pa.int32()),
            ("fault", pa.string()),
        ]
    ),
    "steps": pa.schema(
        [
            ("run_id", pa.string()),
            ("episode_id", pa.string()),
            ("repeat", pa.int32()),
            ("number", pa.int32()),
            ("decision", pa.string()),
            ("actions", _STRINGS),
            ("words", pa.string()),
            ("memory", pa.string()),
            ("feedback", pa.string()),
            ("pointer_x", pa.int32()),
            ("pointer_y", pa.int32()),
            ("seconds", pa.float64()),
            ("calls", _STRINGS),
            ("input_tokens", pa.int64()),
            ("output_tokens", pa.int64()),
            ("cost_usd", pa.float64()),
            ("printed", pa.string()),
            ("notes", _STRINGS),
        ]
    ),
    "interventions": pa.schema(
        [
            ("run_id", pa.string()),
            ("episode_id", pa.string()),
            ("repeat", pa.int32()),
            ("intervention_id", pa.string()),
            ("step", pa.int32()),
            ("initiated_by", pa.string()),
            ("person", pa.string()),
            ("reason", pa.string()),
            ("request", pa.string()),
            ("note", pa.string()),
            ("began_at", pa.string()),
            ("ended_at", pa.string()),
            ("seconds", pa.float64()),
            ("waited_seconds", pa.float64()),
            ("actions", pa.int32()),
            ("acts", _STRINGS),
            ("helped_in", pa.string()),
        ]
    ),
}

# The columns of a published suite: ProSoftArena's annotation of each episode (Appendix B.2), and everything needed to play it.
SUITE_EPISODES = pa.schema(
    [
        ("episode_id", pa.string()),
        ("instruction", pa.string()),
        ("context_resources", _STRINGS),
        ("task_source", _STRINGS),
        ("core_operations", _STRINGS),
        ("expected_output", _STRINGS),
        ("difficulty", pa.string()),
        ("level", pa.string()),
        ("discipline", pa.string()),
        ("applications", _STRINGS),
        ("valid_applications", _STRINGS),
        ("step_budget", pa.int32()),
        ("oracle_lines", pa.int32()),
        ("infeasible", pa.string()),
        ("composition_id", pa.string()),
        ("episode", pa.string()),
        ("task", pa.string()),
        ("subfield", pa.string()),
        ("evaluation_criteria", _STRINGS),
        ("rubric", _STRINGS),
        ("oracle_seconds", pa.float64()),
        ("human_steps", pa.int32()),
        ("human_seconds", pa.float64()),
        ("human_recording", pa.string()),
    ]
)

_CALL = pa.struct([("id", pa.string()), ("name", pa.string()), ("arguments", pa.string())])
_PART = pa.struct([("type", pa.string()), ("text", pa.string()), ("image", pa.string())])
_MESSAGE = pa.struct([("role", pa.string()), ("content", pa.list_(_PART)), ("tool_calls", pa.list_(_CALL)), ("tool_call_id", pa.string())])
_ANSWER = pa.struct(
    [
        ("asked", pa.list_(pa.int32())),
        ("answered", pa.int32()),
        ("status", pa.string()),
        ("tokens", _STRINGS),
        ("log_probabilities", pa.list_(pa.float64())),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
    ]
)
_STEP = pa.struct(
    [
        ("number", pa.int32()),
        ("decision", pa.string()),
        ("actions", _STRINGS),
        ("words", pa.string()),
        ("feedback", pa.string()),
        ("printed", pa.string()),
        ("pictures", _STRINGS),
        ("calls", pa.list_(_ANSWER)),
        ("seconds", pa.float64()),
    ]
)

# The columns of rollouts for training. `eval_flows.episodes.rollouts` writes them and says what each holds (columns.yaml).
ROLLOUTS = pa.schema(
    [
        ("rollout_id", pa.string()),
        ("group_id", pa.string()),
        ("run_id", pa.string()),
        ("suite", pa.string()),
        ("episode_id", pa.string()),
        ("sample", pa.int32()),
        ("seed", pa.string()),
        ("level", pa.string()),
        ("applications", _STRINGS),
        ("start", pa.string()),
        ("task", pa.string()),
        ("infeasible", pa.string()),
        ("agent", pa.string()),
        ("settings", pa.string()),
        ("model", pa.string()),
        ("tools", pa.string()),
        ("messages", pa.list_(_MESSAGE)),
        ("steps", pa.list_(_STEP)),
        ("status", pa.string()),
        ("reward", pa.float64()),
        ("is_success", pa.bool_()),
        ("checks", pa.list_(_CHECK)),
        ("side_effects", _STRINGS),
        ("seconds", pa.float64()),
        ("licences", pa.list_(pa.struct([("of", pa.string()), ("licence", pa.string())]))),
    ]
)
