-- What a dataset consists of, by category.
select category, tasks, share_that_names_application, mean_valid_applications, mean_words from dataset_composition where dataset_id = $dataset_id order by category
