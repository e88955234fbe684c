-- How the texts of each target application are narrated: steps, drop-out, naming, manner, and phrasings from the catalog.
create view narration_profile as
with of_tasks as (
    select u.dataset_id, u.dataset, u.target_application, u.category, u.naming, u.style, u.drop_out_rate, u.has_typo, u.locale,
           u.masked_text, len(c.atomic_tasks) as steps, len(c.atomic_tasks) - len(u.dropped_steps) as said_steps
    from user_tasks u join compositions c using (composition_id)
    where u.shape = 'singleton'
), recurring as (
    select dataset_id, target_application, max(times) as most_recurrences
    from (select dataset_id, target_application, masked_text, count(*) as times from of_tasks group by all) group by all
)
select t.dataset_id, dataset, t.target_application as application, category, count(*) as texts, avg(steps) as mean_steps,
       avg((steps > 1)::int) as share_of_several_steps, avg(said_steps) as mean_said_steps, avg((said_steps < steps)::int) as share_with_drop_out,
       avg(drop_out_rate) as mean_drop_out_rate, avg((naming = 'application')::int) as share_naming_application,
       avg((naming in ('kind', 'vendor'))::int) as share_naming_kind, avg((naming = 'none')::int) as share_naming_nothing,
       avg((style = 'fragment')::int) as share_of_fragments, avg(has_typo::int) as share_with_typo, avg((locale <> 'en')::int) as share_of_other_locales,
       any_value(most_recurrences) as most_recurrences
from of_tasks t join recurring using (dataset_id, target_application)
group by all
order by dataset, t.dataset_id, application;

comment on view narration_profile is 'Steps, drop-out, naming and manner of the texts of each target application';
comment on column narration_profile.dataset_id is 'Dataset';
comment on column narration_profile.dataset is 'Name of the dataset';
comment on column narration_profile.application is 'Target application';
comment on column narration_profile.category is 'Its primary category';
comment on column narration_profile.texts is 'Texts for single applications';
comment on column narration_profile.mean_steps is 'Mean number of atomic tasks in the composition';
comment on column narration_profile.share_of_several_steps is 'Share of compositions of more than one atomic task';
comment on column narration_profile.mean_said_steps is 'Mean number of atomic tasks that the text says; 0 if it says only the goal';
comment on column narration_profile.share_with_drop_out is 'Share of texts that leave a step out';
comment on column narration_profile.mean_drop_out_rate is 'Mean of the drop-out rates that were drawn';
comment on column narration_profile.share_naming_application is 'Share that names the application';
comment on column narration_profile.share_naming_kind is 'Share that names its kind, or kind and maker';
comment on column narration_profile.share_naming_nothing is 'Share that names neither';
comment on column narration_profile.share_of_fragments is 'Share that is a fragment rather than a sentence';
comment on column narration_profile.share_with_typo is 'Share with a mistyped word';
comment on column narration_profile.share_of_other_locales is 'Share whose argument values are not of the English locale';
comment on column narration_profile.most_recurrences is 'Number of times that the most frequent text occurs, with masked arguments';
