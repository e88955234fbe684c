-- Version 4 says what became of a paraphrase; before it none was made.
select *, null::varchar as paraphrase_status, null::varchar as paraphrase_model, null::varchar as paraphrase_prompt, null::varchar as narrated_text from {source}
