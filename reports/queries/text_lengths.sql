-- How many texts of a dataset have how many words, in steps of two words; the last step holds all longer ones.
select least((len(string_split(text, ' ')) // 2) * 2, 80) as words, count(*) as texts from user_tasks where dataset_id = $dataset_id group by all order by words
