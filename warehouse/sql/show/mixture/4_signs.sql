select rater_kind, sign, raters, ours_texts, people_texts from mixture_signs where study_id = $id order by rater_kind, ours_texts + people_texts desc, sign limit 20
