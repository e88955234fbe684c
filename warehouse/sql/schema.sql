-- The tables of the warehouse. Everything in them comes from the Parquet, manifests and run files of the data folder.

create table applications (
    application varchar primary key,
    title varchar not null,
    aliases varchar[] not null,
    vendor varchar not null,
    platform varchar not null,
    category varchar not null,
    also_in varchar[] not null,
    description varchar not null
);
comment on table applications is 'Applications of the catalog, as of the newest dataset';
comment on column applications.application is 'Name, as in AppSelectBench, Appendix C';
comment on column applications.title is 'Full name';
comment on column applications.aliases is 'Other names that people use';
comment on column applications.vendor is 'Company or project that makes it';
comment on column applications.platform is 'windows or linux';
comment on column applications.category is 'Primary category';
comment on column applications.also_in is 'Further categories';
comment on column applications.description is 'What it is and for what';

create table atomic_tasks (
    atomic_task_id varchar primary key,
    application varchar not null,
    title varchar not null,
    capability varchar not null,
    generic boolean not null,
    capable_applications varchar[] not null,
    phrasings integer not null
);
comment on table atomic_tasks is 'Atomic tasks of the catalog, as of the newest dataset';
comment on column atomic_tasks.atomic_task_id is 'Application and task';
comment on column atomic_tasks.application is 'Application of the task';
comment on column atomic_tasks.title is 'Short name';
comment on column atomic_tasks.capability is 'What a person wants done; the equivalence map lists the applications that can do it';
comment on column atomic_tasks.generic is 'Whether it is opening, saving or similar; such tasks are in no split';
comment on column atomic_tasks.capable_applications is 'Every application that can do it';
comment on column atomic_tasks.phrasings is 'Number of phrasings';

create table datasets (
    dataset_id varchar primary key,
    dataset varchar not null,
    built_at timestamptz not null,
    title varchar not null,
    user_tasks bigint not null,
    rows_made bigint not null,
    rows_rejected bigint not null
);
comment on table datasets is 'Datasets that a name points to or a run refers to';
comment on column datasets.dataset_id is 'Fingerprint of everything that the dataset was made from';
comment on column datasets.dataset is 'Name under which it was built';
comment on column datasets.built_at is 'When it was built';
comment on column datasets.title is 'Title of its recipe or of the imported file';
comment on column datasets.user_tasks is 'Rows accepted';
comment on column datasets.rows_made is 'Rows made, accepted and rejected';
comment on column datasets.rows_rejected is 'Rows rejected, each with its stage and reason in the manifest';

create table candidates (
    dataset_id varchar not null,
    application varchar not null,
    title varchar not null,
    aliases varchar[] not null,
    category varchar not null,
    also_in varchar[] not null,
    primary key (dataset_id, application)
);
comment on table candidates is 'Applications to choose from in each dataset, as they were when it was built; of datasets from before these were held, all of their catalog';
comment on column candidates.dataset_id is 'Dataset';
comment on column candidates.application is 'Name';
comment on column candidates.title is 'Full name';
comment on column candidates.aliases is 'Other names that an answer may use';
comment on column candidates.category is 'Primary category, by which answers are confused';
comment on column candidates.also_in is 'Further categories';

create table compositions (
    composition_id varchar primary key,
    composition_kind varchar not null,
    workflow varchar,
    atomic_tasks varchar[] not null
);
comment on table compositions is 'Ordered lists of atomic tasks from which user tasks were narrated';
comment on column compositions.composition_id is 'Hash of the ordered atomic tasks';
comment on column compositions.composition_kind is 'single, chain, workflow or imported';
comment on column compositions.workflow is 'Curated workflow; null if it comes from none';
comment on column compositions.atomic_tasks is 'Atomic tasks in their order';

create table user_tasks (
    dataset_id varchar not null,
    dataset varchar not null,
    task_id varchar not null,
    text varchar not null,
    masked_text varchar not null,
    target_application varchar,
    valid_applications varchar[] not null,
    category varchar,
    split varchar not null,
    shape varchar not null,
    naming varchar not null,
    names_application boolean not null,
    style varchar not null,
    voice varchar,
    says_goal boolean not null,
    has_typo boolean not null,
    composition_id varchar not null,
    dropped_steps smallint[] not null,
    said_tasks varchar[] not null,
    drop_out_rate double not null,
    locale varchar not null,
    world varchar,
    arguments struct(name varchar, generator varchar, value varchar)[] not null,
    nodes struct(target_application varchar, valid_applications varchar[])[] not null,
    edges struct(source smallint, target smallint)[] not null,
    row_seed varchar not null,
    paraphrase_status varchar,
    paraphrase_call varchar,
    paraphrase_model varchar,
    paraphrase_prompt varchar,
    narrated_text varchar,
    primary key (dataset_id, task_id)
);
comment on table user_tasks is 'User tasks of the datasets, with their lineage';
comment on column user_tasks.dataset_id is 'Dataset';
comment on column user_tasks.dataset is 'Name of the dataset';
comment on column user_tasks.task_id is 'Hash of everything that made the text';
comment on column user_tasks.text is 'What the user types';
comment on column user_tasks.masked_text is 'The text with its arguments masked';
comment on column user_tasks.target_application is 'Application that the text was made for; null for graphs';
comment on column user_tasks.valid_applications is 'Every candidate that can do all that the text says; empty for graphs';
comment on column user_tasks.category is 'Primary category of the target; null for graphs';
comment on column user_tasks.split is 'train, dev or test: the split of the atomic tasks that the text says; mixed if they differ, and then the task is neither learnt from nor scored';
comment on column user_tasks.shape is 'singleton, sequential or parallel';
comment on column user_tasks.naming is 'How the text says which application is meant: application, kind, vendor or none';
comment on column user_tasks.names_application is 'Whether the text addresses its application';
comment on column user_tasks.style is 'Style of narration';
comment on column user_tasks.voice is 'Kind of writer whose habits the text has; null for imported tasks';
comment on column user_tasks.says_goal is 'Whether the text says the goal of its workflow';
comment on column user_tasks.has_typo is 'Whether the text has a slip: a word mistyped or abbreviated, or an article or an apostrophe left out';
comment on column user_tasks.composition_id is 'Composition that was narrated';
comment on column user_tasks.dropped_steps is 'Positions of the steps that the text leaves out';
comment on column user_tasks.said_tasks is 'Non-generic atomic tasks that the text says: those of the kept steps, or of all steps if it says words of the goal';
comment on column user_tasks.drop_out_rate is 'Drawn rate of step drop-out';
comment on column user_tasks.locale is 'Locale of the argument values; texts are English in all';
comment on column user_tasks.world is 'World that the values come from as far as it has any; null if no world has one';
comment on column user_tasks.arguments is 'Name, generator and value of every argument';
comment on column user_tasks.nodes is 'Nodes of the graph, each with its own valid applications';
comment on column user_tasks.edges is 'Pairs of nodes: the source must come before the target';
comment on column user_tasks.row_seed is 'Seed from which the row was drawn';
comment on column user_tasks.paraphrase_status is 'accepted, or the reason that the text stayed as narrated: unchanged, unreadable, near_duplicate, empty, refused, truncated or a flaw of faithfulness; null if no paraphrase was asked for';
comment on column user_tasks.paraphrase_call is 'Call for the paraphrase of the text; see model_calls';
comment on column user_tasks.paraphrase_model is 'Model that was asked';
comment on column user_tasks.paraphrase_prompt is 'Hash of its prompt';
comment on column user_tasks.narrated_text is 'The text before an accepted paraphrase; null without one';

create table runs (
    run_id varchar primary key,
    dataset_id varchar not null,
    dataset varchar not null,
    protocol varchar not null,
    model varchar not null,
    prompt varchar,
    sampling varchar not null,
    split varchar not null,
    answer_kind varchar not null,
    candidates varchar[] not null,
    at_once integer,
    openness varchar,
    started_at timestamptz not null
);
comment on table runs is 'Runs of protocols over datasets';
comment on column runs.run_id is 'Hash of dataset, protocol, model, prompt, sampling, split and candidates';
comment on column runs.dataset_id is 'Dataset of the run';
comment on column runs.dataset is 'Name of that dataset';
comment on column runs.protocol is 'random, heuristic, nearest, knn, linear, zero_shot, few_shot, ras, hierarchical or graph';
comment on column runs.model is 'Model or baseline that answered';
comment on column runs.prompt is 'Hash of the prompt templates; null if no language model was asked';
comment on column runs.sampling is 'Seeds, hashes of data and options that decide the answers';
comment on column runs.split is 'Split of the run, or all';
comment on column runs.answer_kind is 'application, set or graph';
comment on column runs.candidates is 'Applications to choose from';
comment on column runs.at_once is 'The most calls in flight, on which a server''s answers can depend even at temperature 0; null if there were none';
comment on column runs.openness is 'open or closed, for registered language models';
comment on column runs.started_at is 'When the run first started';

create table predictions (
    run_id varchar not null,
    task_id varchar not null,
    position bigint not null,
    predicted_application varchar,
    predicted_applications varchar[] not null,
    predicted_edges struct(source smallint, target smallint)[] not null,
    status varchar not null,
    is_correct boolean,
    node_precision double,
    node_recall double,
    node_f1 double,
    edge_f1 double,
    kendall_tau double,
    is_exact boolean,
    retrieved varchar[] not null,
    said varchar,
    calls varchar[] not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    latency_ms double not null,
    cost_usd double not null
);
comment on table predictions is 'Answers of the runs';
comment on column predictions.run_id is 'Run';
comment on column predictions.task_id is 'User task';
comment on column predictions.position is 'Place of the task in the fixed order of the run';
comment on column predictions.predicted_application is 'Answer, the first one of a set; null where there is none in the list, and for graphs';
comment on column predictions.predicted_applications is 'The whole answer: a set, best first, with names outside the list as they were said; or the nodes of a graph';
comment on column predictions.predicted_edges is 'Edges of a predicted graph, by place in predicted_applications';
comment on column predictions.status is 'answered, not_in_list, refused, empty, truncated, failed or not_applicable';
comment on column predictions.is_correct is 'Whether the answer is among the valid applications, or the graph exact; null where not applicable';
comment on column predictions.node_precision is 'Share of the predicted nodes that a maximum matching gives a node of the task; for graphs only, like the next five columns';
comment on column predictions.node_recall is 'Share of the task''s nodes that are matched';
comment on column predictions.node_f1 is 'Harmonic mean of the two';
comment on column predictions.edge_f1 is 'F1 of the edges between matched nodes; null if neither graph has edges';
comment on column predictions.kendall_tau is 'Rank correlation of the matched nodes with the true order; null if a graph is no chain';
comment on column predictions.is_exact is 'Whether every node is matched and the edges are the same';
comment on column predictions.retrieved is 'Applications whose cards were shown, nearest first; empty unless the protocol retrieves';
comment on column predictions.said is 'Output of the language model, or the terms that decided the answer of the heuristic; up to 500 characters';
comment on column predictions.calls is 'Calls behind the answer; see model_calls';
comment on column predictions.input_tokens is 'Tokens of the prompts';
comment on column predictions.output_tokens is 'Tokens of the output';
comment on column predictions.latency_ms is 'Milliseconds that the answer took; 0 if it came by batch';
comment on column predictions.cost_usd is 'Dollars that the answer cost when it was paid for';

create table model_calls (
    call_id varchar not null,
    purpose varchar not null,
    model varchar not null,
    endpoint varchar not null,
    started_at timestamptz not null,
    status varchar not null,
    attempt integer not null,
    input_tokens bigint not null,
    cached_tokens bigint not null,
    output_tokens bigint not null,
    cost_usd double not null,
    latency_ms double not null
);
comment on table model_calls is 'Every call of a language model, whether it succeeded or not; an answer from the cache makes no call';
comment on column model_calls.call_id is 'First characters of the hash of the whole request';
comment on column model_calls.purpose is 'Run, study, dataset or draft that made the call';
comment on column model_calls.model is 'Model';
comment on column model_calls.endpoint is 'Address of the server';
comment on column model_calls.started_at is 'When the call started';
comment on column model_calls.status is 'answered, empty, refused or truncated; failed if no answer came';
comment on column model_calls.attempt is 'Number of the attempt';
comment on column model_calls.input_tokens is 'Tokens of the prompt, as the server counts';
comment on column model_calls.cached_tokens is 'Tokens of the prompt that the server had in its prefix cache';
comment on column model_calls.output_tokens is 'Tokens of the answer';
comment on column model_calls.cost_usd is 'Dollars, by the prices of the registry';
comment on column model_calls.latency_ms is 'Milliseconds';

create table published_accuracy (
    source varchar not null,
    category varchar not null,
    model varchar not null,
    protocol varchar not null,
    accuracy double not null
);
comment on table published_accuracy is 'Accuracies as others published them';
comment on column published_accuracy.source is 'Paper and tables';
comment on column published_accuracy.category is 'Category, or All Application Domains';
comment on column published_accuracy.model is 'Model or baseline';
comment on column published_accuracy.protocol is 'zero_shot, few_shot, ras or their average; random or heuristic for the baselines';
comment on column published_accuracy.accuracy is 'Accuracy';

create table published_figures (
    source varchar not null,
    place varchar not null,
    measure varchar not null,
    subject varchar not null,
    value double not null
);
comment on table published_figures is 'Further figures as others published them';
comment on column published_figures.source is 'Paper';
comment on column published_figures.place is 'Table, section or appendix';
comment on column published_figures.measure is 'accuracy (mean over its language models and protocols), pi_intra, pi_cross, f1, applications (listed), or a measure of the quality study; of ProSoftArena the counts, steps and seconds of its Table 2';
comment on column published_figures.subject is 'Category, application, level of tasks, or all';
comment on column published_figures.value is 'The figure';

create table published_success (
    source varchar not null,
    place varchar not null,
    line integer not null,
    model varchar not null,
    observation varchar not null,
    level varchar not null,
    part varchar not null,
    success double not null
);
comment on table published_success is 'Success of agents as others published it';
comment on column published_success.source is 'Benchmark';
comment on column published_success.place is 'Table of its paper';
comment on column published_success.line is 'Line of that table, from 1';
comment on column published_success.model is 'Model of the agent';
comment on column published_success.observation is 'Observation';
comment on column published_success.level is 'L1, L2, L3 or all';
comment on column published_success.part is 'Discipline, category of applications, or all';
comment on column published_success.success is 'Share of the tasks in which it succeeded';

create table quality_studies (
    study_id varchar primary key,
    dataset_id varchar not null,
    dataset varchar not null,
    seed bigint not null,
    tasks bigint not null,
    created_at timestamptz not null
);
comment on table quality_studies is 'Samples of datasets for raters';
comment on column quality_studies.study_id is 'Hash of dataset, seed and drawn tasks';
comment on column quality_studies.dataset_id is 'Sampled dataset';
comment on column quality_studies.dataset is 'Name of that dataset';
comment on column quality_studies.seed is 'Seed of the draw';
comment on column quality_studies.tasks is 'Tasks drawn, evenly over the applications';
comment on column quality_studies.created_at is 'When the sample was drawn';

create table quality_ratings (
    study_id varchar not null,
    rater varchar not null,
    rater_kind varchar not null,
    task_id varchar not null,
    grammar tinyint not null,
    realism tinyint not null,
    ground_truth varchar not null,
    comment varchar not null,
    primary key (study_id, rater, task_id)
);
comment on table quality_ratings is 'Ratings of sampled user tasks';
comment on column quality_ratings.study_id is 'Study';
comment on column quality_ratings.rater is 'Name of the rater';
comment on column quality_ratings.rater_kind is 'person or model; the two are never mixed';
comment on column quality_ratings.task_id is 'User task';
comment on column quality_ratings.grammar is 'Grammatical naturalness, 1 to 5';
comment on column quality_ratings.realism is 'Semantic realism, 1 to 5';
comment on column quality_ratings.ground_truth is 'Whether the valid applications are right, too narrow, too wide or wrong';
comment on column quality_ratings.comment is 'Comment of the rater';

create table mixtures (
    study_id varchar primary key,
    dataset_id varchar not null,
    dataset varchar not null,
    seed bigint not null,
    created_at timestamptz not null
);
comment on table mixtures is 'Blind mixtures of texts of datasets and of people for raters';
comment on column mixtures.study_id is 'Hash of dataset, seed and mixed texts';
comment on column mixtures.dataset_id is 'Mixed dataset';
comment on column mixtures.dataset is 'Name of that dataset';
comment on column mixtures.seed is 'Seed of the draw';
comment on column mixtures.created_at is 'When the texts were drawn';

create table mixture_texts (
    study_id varchar not null,
    text_id varchar not null,
    made_by varchar not null,
    text varchar not null,
    task_id varchar,
    details varchar not null,
    primary key (study_id, text_id)
);
comment on table mixture_texts is 'Texts of the mixtures with their origin, which raters do not see';
comment on column mixture_texts.study_id is 'Mixture';
comment on column mixture_texts.text_id is 'Id that raters see; it tells nothing of the origin';
comment on column mixture_texts.made_by is 'dataset or people';
comment on column mixture_texts.text is 'The text';
comment on column mixture_texts.task_id is 'User task of the dataset; null for texts of people';
comment on column mixture_texts.details is 'What the file of people''s texts says besides the text, as a JSON object';

create table mixture_ratings (
    study_id varchar not null,
    rater varchar not null,
    rater_kind varchar not null,
    text_id varchar not null,
    grammar tinyint not null,
    realism tinyint not null,
    origin tinyint not null,
    recognised boolean not null,
    signs varchar not null,
    primary key (study_id, rater, text_id)
);
comment on table mixture_ratings is 'Ratings of the texts of mixtures';
comment on column mixture_ratings.study_id is 'Mixture';
comment on column mixture_ratings.rater is 'Name of the rater';
comment on column mixture_ratings.rater_kind is 'person or model; the two are never mixed';
comment on column mixture_ratings.text_id is 'Text of the mixture';
comment on column mixture_ratings.grammar is 'Grammatical naturalness, 1 to 5';
comment on column mixture_ratings.realism is 'Semantic realism, 1 to 5';
comment on column mixture_ratings.origin is 'Guess of the origin, from 1 (surely written by a person) to 5 (surely made by a program)';
comment on column mixture_ratings.recognised is 'Whether the rater knows the text from a benchmark';
comment on column mixture_ratings.signs is 'What gives the origin away, in the words of the rater; several signs are separated by semicolons';

create table suite_episodes (
    suite varchar not null,
    episode_id varchar not null,
    instruction varchar not null,
    context_resources varchar[] not null,
    task_source varchar[] not null,
    core_operations varchar[] not null,
    expected_output varchar[] not null,
    difficulty varchar not null,
    level varchar not null,
    discipline varchar not null,
    applications varchar[] not null,
    valid_applications varchar[] not null,
    step_budget integer not null,
    oracle_lines integer not null,
    infeasible varchar,
    composition_id varchar not null,
    episode varchar not null,
    task varchar not null,
    subfield varchar,
    evaluation_criteria varchar[] not null,
    rubric varchar[] not null,
    oracle_seconds double,
    human_steps integer,
    human_seconds double,
    human_recording varchar,
    primary key (suite, episode_id)
);
comment on table suite_episodes is 'Episodes of the published suites, with the annotation of ProSoftArena (Appendix B.2)';
comment on column suite_episodes.suite is 'Suite';
comment on column suite_episodes.episode_id is 'Hash of everything in the episode';
comment on column suite_episodes.instruction is 'Instruction for the agent';
comment on column suite_episodes.context_resources is 'Paths and state at the start';
comment on column suite_episodes.task_source is 'Catalog files of its atomic tasks, or the source of its job';
comment on column suite_episodes.core_operations is 'Its atomic tasks without opening and saving, or the operations that its job lists';
comment on column suite_episodes.expected_output is 'What the checks look for in the end';
comment on column suite_episodes.difficulty is 'easy, medium or hard, by the lines of the oracle';
comment on column suite_episodes.level is 'L1 to L4, as in ProSoftArena';
comment on column suite_episodes.discipline is 'Discipline of the first application';
comment on column suite_episodes.applications is 'All applications, in the order of their first steps';
comment on column suite_episodes.valid_applications is 'Programs of the image that can do the first phase';
comment on column suite_episodes.step_budget is 'Steps that an agent may take';
comment on column suite_episodes.oracle_lines is 'Lines of the oracle';
comment on column suite_episodes.infeasible is 'Why the task cannot be done; null if it can';
comment on column suite_episodes.composition_id is 'Hash of its ordered atomic tasks, or the id of its job';
comment on column suite_episodes.episode is 'The whole episode as JSON: setup, oracle and checks of every step';
comment on column suite_episodes.task is 'What it was made from: the id of its job, or of its composition';
comment on column suite_episodes.subfield is 'One of the 20 subfields of ProSoftArena; null for composed episodes';
comment on column suite_episodes.evaluation_criteria is 'What the checks look at, in words; empty for composed episodes';
comment on column suite_episodes.rubric is 'L4: what people or models judge besides the checks';
comment on column suite_episodes.oracle_seconds is 'Seconds that the oracle took in its proof, the median; null where no proof is recorded';
comment on column suite_episodes.human_steps is 'Steps of the reference run of a person; null where nobody has played it';
comment on column suite_episodes.human_seconds is 'Seconds of that run';
comment on column suite_episodes.human_recording is 'Where that run is recorded';

create table suite_runs (
    run_id varchar primary key,
    suite varchar not null,
    agent varchar not null,
    is_scripted boolean not null,
    settings varchar not null,
    start varchar not null,
    machine varchar not null,
    image varchar[] not null,
    episodes bigint not null,
    started_at timestamptz not null,
    people varchar,
    person varchar
);
comment on table suite_runs is 'Runs of an agent over the episodes of a suite';
comment on column suite_runs.run_id is 'Hash of everything that decides the outcome of the run: suite, episodes, agent, model, endpoint, prompts, image, code and start';
comment on column suite_runs.suite is 'Suite';
comment on column suite_runs.agent is 'Agent that plays';
comment on column suite_runs.is_scripted is 'Whether a script plays, such as the oracle: its figures say nothing about agents that see and decide';
comment on column suite_runs.settings is 'Settings of the agent as JSON: for models the endpoint, prompts, observation, sampling and seconds for a step';
comment on column suite_runs.start is 'preloaded: the application is open; bare: an empty desktop';
comment on column suite_runs.machine is 'Kind of the machine';
comment on column suite_runs.image is 'Image of the machine: hashes of its packages with their versions, and of its home folder; for a machine without an image, the hash of its identity';
comment on column suite_runs.episodes is 'Episodes of the run, played or not, without repeats';
comment on column suite_runs.started_at is 'When the run first started';
comment on column suite_runs.people is 'What people could do: takeover, or assistance (the agent could ask, too); null if it ran without people';
comment on column suite_runs.person is 'Who played, if a person did; else null';

create table sweeps (
    sweep_id varchar primary key,
    sweep varchar not null,
    title varchar not null,
    description varchar not null,
    suite varchar not null,
    start varchar not null,
    budget_usd double,
    cells integer not null,
    started_at timestamptz not null
);
comment on table sweeps is 'Sweeps: several runs over one suite that differ in what is studied';
comment on column sweeps.sweep_id is 'Hash of the name and the runs of the sweep';
comment on column sweeps.sweep is 'Name of its recipe';
comment on column sweeps.title is 'Title';
comment on column sweeps.description is 'What it studies';
comment on column sweeps.suite is 'Suite of all its runs';
comment on column sweeps.start is 'preloaded: the application is open; bare: an empty desktop';
comment on column sweeps.budget_usd is 'Dollars that the whole sweep may cost; null without a limit';
comment on column sweeps.cells is 'Cells: one run each';
comment on column sweeps.started_at is 'When it was first started';

create table sweep_cells (
    sweep_id varchar not null,
    number integer not null,
    run_id varchar not null,
    label varchar not null,
    is_scripted boolean not null,
    agent varchar not null,
    model varchar,
    observation varchar,
    prompt varchar,
    history varchar,
    cards boolean,
    options varchar not null,
    repeats integer not null,
    command varchar not null,
    primary key (sweep_id, number)
);
comment on table sweep_cells is 'Cells of the sweeps: the run of each, and what tells it from the others; null where its cross does not name it';
comment on column sweep_cells.sweep_id is 'Sweep';
comment on column sweep_cells.number is 'Number of the cell, from 1';
comment on column sweep_cells.run_id is 'Run; it has no episodes before the cell is played';
comment on column sweep_cells.label is 'The cell in words';
comment on column sweep_cells.is_scripted is 'Whether a script plays, such as the oracle';
comment on column sweep_cells.agent is 'Agent';
comment on column sweep_cells.model is 'Language model';
comment on column sweep_cells.observation is 'What the model observes';
comment on column sweep_cells.prompt is 'Prompt style';
comment on column sweep_cells.history is 'Past steps that the agent remembers';
comment on column sweep_cells.cards is 'Whether the model is shown the knowledge cards of the applications';
comment on column sweep_cells.options is 'Other options of the agent, as JSON';
comment on column sweep_cells.repeats is 'Times that each episode is played';
comment on column sweep_cells.command is 'Command that plays the same run';

create table image_packages (
    image varchar not null,
    package varchar not null,
    version varchar not null,
    primary key (image, package)
);
comment on table image_packages is 'Debian packages of the images that runs of episodes used';
comment on column image_packages.image is 'Hash of all packages with their versions: the first part of suite_runs.image';
comment on column image_packages.package is 'Package';
comment on column image_packages.version is 'Its version in that image';

create table episodes (
    run_id varchar not null,
    episode_id varchar not null,
    repeat integer not null,
    suite varchar not null,
    agent varchar not null,
    start varchar not null,
    level varchar not null,
    discipline varchar not null,
    application varchar not null,
    applications varchar[] not null,
    instruction varchar not null,
    infeasible varchar,
    status varchar not null,
    reward double,
    is_success boolean,
    steps integer,
    step_budget integer not null,
    malformed integer,
    ready_seconds double,
    seconds double not null,
    first_application varchar,
    valid_applications varchar[] not null,
    is_valid_choice boolean,
    input_tokens bigint not null,
    output_tokens bigint not null,
    cost_usd double not null,
    model_seconds double,
    checks struct("check" varchar, got varchar, holds boolean, share double)[] not null,
    side_effects varchar[],
    tries integer not null,
    fault varchar,
    primary key (run_id, episode_id, repeat)
);
comment on table episodes is 'Outcome of each episode and repeat of a run';
comment on column episodes.run_id is 'Run';
comment on column episodes.episode_id is 'Hash of everything in the episode';
comment on column episodes.repeat is 'Number of the repeat, from 1';
comment on column episodes.suite is 'Suite of the episode';
comment on column episodes.agent is 'Agent that played';
comment on column episodes.start is 'preloaded: the application is open; bare: an empty desktop';
comment on column episodes.level is 'L1, L2 or L3, as in ProSoftArena';
comment on column episodes.discipline is 'Discipline of the first application';
comment on column episodes.application is 'First application';
comment on column episodes.applications is 'All applications, in the order of their first steps';
comment on column episodes.instruction is 'Instruction for the agent';
comment on column episodes.infeasible is 'Why the task cannot be done; null if it can';
comment on column episodes.status is 'done, failed by agent, out of steps, model failed, out of time, safety check, or infrastructure fault; all but the last are outcomes of the agent';
comment on column episodes.reward is 'Reward of the final state, 0 to 1; null for a fault of the infrastructure';
comment on column episodes.is_success is 'Whether the task is done: every check reaches its threshold and nothing is damaged, or FAIL is right; null for a fault';
comment on column episodes.steps is 'Steps that the agent took';
comment on column episodes.step_budget is 'Steps that it may take';
comment on column episodes.malformed is 'Steps without a valid action, or whose action the guest refused';
comment on column episodes.ready_seconds is 'Seconds of the reset: from the start of the machine to a ready application';
comment on column episodes.seconds is 'Wall-clock seconds of the last try, without the checks; for a fault, without the time spent waiting for the model';
comment on column episodes.first_application is 'In a bare start, the program that the agent opened first';
comment on column episodes.valid_applications is 'Programs of the image that can do the first phase';
comment on column episodes.is_valid_choice is 'Whether the first opened program is among the valid ones; null for preloaded starts and if none was opened';
comment on column episodes.input_tokens is 'Tokens that the model read';
comment on column episodes.output_tokens is 'Tokens that the model wrote';
comment on column episodes.cost_usd is 'Dollars for the calls of the model';
comment on column episodes.model_seconds is 'Seconds that the model took, over all its calls; null for a fault, and if the run is older than this column';
comment on column episodes.checks is 'Checks of the final state: what was checked, what was found, whether it holds, and its share from 0 to 1 (0 or 1 unless it is graded); empty for faults';
comment on column episodes.side_effects is 'Changes that no task of the episode allows, in words; null if they were not checked: for faults and older runs';
comment on column episodes.tries is 'How often the episode was tried, over all commands: it is tried again after a fault of the infrastructure';
comment on column episodes.fault is 'What failed in the infrastructure; null if nothing did';

create table steps (
    run_id varchar not null,
    episode_id varchar not null,
    repeat integer not null,
    number integer not null,
    decision varchar not null,
    actions varchar[] not null,
    words varchar not null,
    memory varchar not null,
    feedback varchar not null,
    pointer_x integer,
    pointer_y integer,
    seconds double not null,
    calls varchar[] not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    cost_usd double not null,
    printed varchar,
    notes varchar[],
    primary key (run_id, episode_id, repeat, number)
);
comment on table steps is 'Steps of the episodes: decision, actions and words of the agent';
comment on column steps.run_id is 'Run';
comment on column steps.episode_id is 'Episode';
comment on column steps.repeat is 'Number of the repeat';
comment on column steps.number is 'Number of the step, from 1';
comment on column steps.decision is 'COMMAND, WAIT, ASK (a person), DONE, FAIL, or NONE if the model gave no answer';
comment on column steps.actions is 'Actions of the unified action space, as the agent wrote them';
comment on column steps.words is 'What the agent said';
comment on column steps.memory is 'Notes of the agent for later steps';
comment on column steps.feedback is 'Message to the agent on an action that was not carried out, or why the model gave no answer; empty if neither happened';
comment on column steps.pointer_x is 'Horizontal position of the last click or drag, in pixels';
comment on column steps.pointer_y is 'Vertical position of the last click or drag, in pixels from the top';
comment on column steps.seconds is 'Seconds of the whole step';
comment on column steps.calls is 'Calls to the model';
comment on column steps.input_tokens is 'Tokens that the model read';
comment on column steps.output_tokens is 'Tokens that the model wrote';
comment on column steps.cost_usd is 'Dollars for the calls of the step';
comment on column steps.printed is 'What code of the step printed, its errors included; null if the run is older than this column';
comment on column steps.notes is 'What was changed in what the model was shown, such as pictures that did not fit; null if the run is older than this column';

create table interventions (
    run_id varchar not null,
    episode_id varchar not null,
    repeat integer not null,
    intervention_id varchar not null,
    step integer not null,
    initiated_by varchar not null,
    person varchar not null,
    reason varchar not null,
    request varchar not null,
    note varchar not null,
    began_at timestamptz not null,
    ended_at timestamptz not null,
    seconds double not null,
    waited_seconds double not null,
    actions integer not null,
    acts varchar[] not null,
    helped_in varchar not null,
    primary key (run_id, intervention_id)
);
comment on table interventions is 'Interventions of people in episodes of an agent: they took over, or the agent asked';
comment on column interventions.run_id is 'Run';
comment on column interventions.episode_id is 'Episode';
comment on column interventions.repeat is 'Number of the repeat';
comment on column interventions.intervention_id is 'Episode, repeat and number of the intervention in it';
comment on column interventions.step is 'Step before which it came';
comment on column interventions.initiated_by is 'human: a person took over; agent: the agent asked';
comment on column interventions.person is 'Who came; empty if nobody did';
comment on column interventions.reason is 'Why the agent asked; empty if a person took over';
comment on column interventions.request is 'What the agent asked for';
comment on column interventions.note is 'What the person told the agent when handing back';
comment on column interventions.began_at is 'When the person wanted the machine, or when the agent asked';
comment on column interventions.ended_at is 'When the agent went on';
comment on column interventions.seconds is 'Seconds from begin to end, with the waiting: a person worked for seconds - waited_seconds';
comment on column interventions.waited_seconds is 'Seconds of these until somebody had the machine, or until the agent went on alone';
comment on column interventions.actions is 'Actions of the person';
comment on column interventions.acts is 'These actions, as an agent writes them';
comment on column interventions.helped_in is 'actions, words, or none';

create table demonstrations (
    run_id varchar not null,
    episode_id varchar not null,
    repeat integer not null,
    suite varchar not null,
    person varchar not null,
    level varchar not null,
    discipline varchar not null,
    application varchar not null,
    status varchar not null,
    gave_up boolean not null,
    reward double,
    is_success boolean,
    steps integer,
    seconds double,
    primary key (run_id, episode_id, repeat)
);
comment on table demonstrations is 'Reference runs: episodes that a person played';
comment on column demonstrations.run_id is 'Run';
comment on column demonstrations.episode_id is 'Episode';
comment on column demonstrations.repeat is 'Number of the repeat';
comment on column demonstrations.suite is 'Suite';
comment on column demonstrations.person is 'Who played';
comment on column demonstrations.level is 'L1 to L4, as in ProSoftArena';
comment on column demonstrations.discipline is 'Discipline of the first application';
comment on column demonstrations.application is 'First application';
comment on column demonstrations.status is 'How it ended, as in episodes';
comment on column demonstrations.gave_up is 'Whether the person said that it cannot be done';
comment on column demonstrations.reward is 'Reward of the final state; null for a fault of the infrastructure';
comment on column demonstrations.is_success is 'Whether the task is done; null for a fault';
comment on column demonstrations.steps is 'Actions of the person';
comment on column demonstrations.seconds is 'Seconds of the person''s work, without the reset of the machine and the checks; null for a fault';

create table error_kinds (
    number integer not null,
    kind varchar primary key,
    title varchar not null,
    named_by varchar not null,
    description varchar not null
);
comment on table error_kinds is 'Kinds of errors that a label of a failed episode may name';
comment on column error_kinds.number is 'Place in the order in which people see them';
comment on column error_kinds.kind is 'Kind';
comment on column error_kinds.title is 'Title';
comment on column error_kinds.named_by is 'ProSoftArena (Section 6.2) or Deskmill';
comment on column error_kinds.description is 'What belongs to it';

create table people_price (
    dollars_an_hour double not null
);
comment on table people_price is 'What an hour of a person costs: one row';
comment on column people_price.dollars_an_hour is 'Dollars, as models.yaml declares it under people; 40 if it does not';

create table judgements (
    pair_id varchar not null,
    judge varchar not null,
    judge_kind varchar not null,
    left_run_id varchar not null,
    suite varchar not null,
    episode_id varchar not null,
    repeat integer not null,
    run_a varchar not null,
    run_b varchar not null,
    preferred_run_id varchar,
    marks struct(criterion varchar, mark_a double, mark_b double)[] not null,
    note varchar not null,
    seconds double not null,
    cost_usd double not null,
    judged_at timestamptz not null,
    primary key (pair_id, judge, left_run_id)
);
comment on table judgements is 'Judgements of two results of an episode side by side, by judges who did not know whose they were';
comment on column judgements.pair_id is 'Hash of episode, repeat and both runs';
comment on column judgements.judge is 'Name of the judge, or the model';
comment on column judgements.judge_kind is 'person or model; the two are never mixed';
comment on column judgements.left_run_id is 'Run whose result stood left or came first: drawn for a person, and a model judges both orders';
comment on column judgements.suite is 'Suite';
comment on column judgements.episode_id is 'Episode';
comment on column judgements.repeat is 'Number of the repeat';
comment on column judgements.run_a is 'Run of one result: the first of both ids';
comment on column judgements.run_b is 'Run of the other result';
comment on column judgements.preferred_run_id is 'Run whose result is better; null for a tie';
comment on column judgements.marks is 'Marks for each line of the rubric: 0 not met, 0.5 met in part, 1 met';
comment on column judgements.note is 'What the judge wrote';
comment on column judgements.seconds is 'Seconds that a person looked at the page, or that the model took';
comment on column judgements.cost_usd is 'Dollars for the call of a model';
comment on column judgements.judged_at is 'When';

create table bradley_terry (
    suite varchar not null,
    judge_kind varchar not null,
    run_id varchar not null,
    reference_run_id varchar not null,
    comparisons double not null,
    wins double not null,
    score double not null,
    score_low double not null,
    score_high double not null,
    preferred double not null,
    preferred_low double not null,
    preferred_high double not null,
    primary key (suite, judge_kind, run_id)
);
comment on table bradley_terry is 'Bradley-Terry scores of the judged runs against a reference, with 95% intervals';
comment on column bradley_terry.suite is 'Suite';
comment on column bradley_terry.judge_kind is 'person or model: the two are never mixed';
comment on column bradley_terry.run_id is 'Run';
comment on column bradley_terry.reference_run_id is 'Run with the score 0: that of a person, else of the oracle, else the first id, among those that comparisons join';
comment on column bradley_terry.comparisons is 'Comparisons of the run; all judgements of one episode of two runs are one';
comment on column bradley_terry.wins is 'How many of them it won; a tie is half a win';
comment on column bradley_terry.score is 'Score, in logits';
comment on column bradley_terry.score_low is 'Lower end of its 95% interval, by the profile of the penalised likelihood';
comment on column bradley_terry.score_high is 'Upper end of that interval';
comment on column bradley_terry.preferred is 'Share of episodes in which it is preferred to the reference, by the score';
comment on column bradley_terry.preferred_low is 'Lower end of its 95% interval';
comment on column bradley_terry.preferred_high is 'Upper end of that interval';

create table labels (
    run_id varchar not null,
    suite varchar not null,
    episode_id varchar not null,
    repeat integer not null,
    labeller varchar not null,
    labeller_kind varchar not null,
    kind varchar not null,
    step integer,
    note varchar not null,
    saw_proposal boolean not null,
    seconds double not null,
    cost_usd double not null,
    labelled_at timestamptz not null,
    primary key (run_id, episode_id, repeat, labeller)
);
comment on table labels is 'Labels of failed episodes: where they went wrong';
comment on column labels.run_id is 'Run';
comment on column labels.suite is 'Suite';
comment on column labels.episode_id is 'Episode';
comment on column labels.repeat is 'Number of the repeat';
comment on column labels.labeller is 'Name of the labeller, or the model';
comment on column labels.labeller_kind is 'person or model: what a model proposes is never mixed with what people say';
comment on column labels.kind is 'Kind of the first error from which the episode did not recover, as in error_kinds';
comment on column labels.step is 'Step of that error; null if it is in none';
comment on column labels.note is 'What the labeller wrote';
comment on column labels.saw_proposal is 'Whether a person looked at the proposal of a model first';
comment on column labels.seconds is 'Seconds that a person looked at the page, or that the model took';
comment on column labels.cost_usd is 'Dollars for the call of a model';
comment on column labels.labelled_at is 'When';
