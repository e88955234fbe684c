"""What people and models judge: two results side by side, where failed episodes went wrong, and tasks before they are played.

`pairs` and `failures` say what is to be judged, `judgement` and `label` what a judge says about it, `kept` keeps it on disk at once. Each kind of
work (`work`) is shown on the pages that `server` serves, and, but for the reading of tasks, models do it too (`models`).
"""
