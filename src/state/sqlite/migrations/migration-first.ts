/** Step 1: the tables that the later steps change. */
export const firstTables = `
  create table meta (name text primary key, value text not null) without rowid;

  create table runs (
    run_id text primary key,
    sync text not null,
    target text not null,
    kind text not null,
    workflow_id text not null,
    first_run_id text not null,
    temporal_id text not null,
    places_are_lines integer not null default 0,
    fence integer not null default 0,
    config_hash text not null,
    request text not null,
    mode text,
    mode_reason text,
    nominal_at text,
    started_at text not null,
    ended_at text,
    outcome text,
    failure text,
    from_position text,
    to_position text,
    held text,
    future integer not null default 0,
    checkpoint_before integer not null,
    checkpoint_version integer not null,
    requests integer not null default 0,
    retries integer not null default 0,
    waited_ms integer not null default 0,
    possibly_repeated integer not null default 0,
    splits integer not null default 0,
    warnings text not null default '[]'
  );
  create index runs_by_sync on runs (sync, started_at);

  create table lanes (
    run_id text not null,
    lane integer not null,
    from_position text,
    to_position text,
    primary key (run_id, lane)
  ) without rowid;

  create table plans (
    run_id text primary key,
    plan text not null,
    samples text not null
  ) without rowid;

  create table checkpoints (
    target text not null,
    sync text not null,
    version integer not null,
    position text,
    held text,
    run_id text,
    updated_at text not null,
    primary key (target, sync)
  ) without rowid;

  create table checkpoint_audit (
    id integer primary key,
    target text not null,
    sync text not null,
    version integer not null,
    position text,
    reason text not null,
    changed_at text not null
  );

  create table sends (
    send integer primary key autoincrement,
    run_id text not null,
    chunk integer not null,
    stage integer not null,
    host text not null,
    drawn_scheduled integer not null,
    drawn_attempt integer not null,
    state text not null,
    from_position text,
    to_position text,
    done integer not null default 0,
    rows_read integer not null default 0,
    records integer not null default 0,
    unchanged integer not null default 0,
    filtered integer not null default 0,
    rejected integer not null default 0,
    split_rejected integer not null default 0,
    json_bytes integer not null default 0,
    gzip_bytes integer not null default 0,
    jsonl_sha256 text,
    gzip_sha256 text,
    bodies text,
    committed_at integer,
    unique (run_id, chunk, stage)
  );

  create table receipts (
    run_id text not null,
    chunk integer not null,
    stage integer not null,
    part integer not null,
    parent integer,
    form text not null,
    state text not null,
    ranges text not null,
    records integer not null,
    json_bytes integer not null,
    gzip_bytes integer not null,
    jsonl_sha256 text,
    gzip_sha256 text,
    file_key text,
    too_large integer not null default 0,
    attempts integer not null default 0,
    host text not null,
    updated_at text not null,
    primary key (run_id, chunk, stage, part)
  ) without rowid;
  create index receipts_by_key on receipts (file_key) where file_key is not null;
  create index receipts_too_large on receipts (run_id, form) where too_large;

  create table faults (
    run_id text not null,
    chunk integer not null,
    fault text not null,
    times integer not null,
    since integer not null,
    last integer not null,
    primary key (run_id, chunk, fault)
  ) without rowid;

  create table rejects (
    run_id text not null,
    chunk integer not null,
    ordinal integer not null,
    stage integer not null,
    stream text not null,
    place text not null,
    key text,
    step text not null,
    code text not null,
    field text,
    reason text not null,
    source_row text,
    created_at text not null,
    replayed_by text,
    superseded integer not null default 0,
    primary key (run_id, chunk, ordinal)
  ) without rowid;

  create table replays (
    run_id text not null,
    number integer not null,
    reject_run text not null,
    chunk integer not null,
    ordinal integer not null,
    place text not null,
    span_send integer not null,
    age real not null,
    primary key (run_id, number)
  ) without rowid;
  create index replays_by_place on replays (run_id, place);

  create table fingerprint_sets (
    id integer primary key,
    target text not null,
    sync text not null,
    valid_after integer not null default 0,
    unique (target, sync)
  );

  create table fingerprints (
    set_id integer not null,
    key text not null,
    hash blob,
    fields integer,
    send integer not null,
    seen integer not null,
    primary key (set_id, key)
  ) without rowid;

  create table field_hashes (id integer primary key, hashes blob);

  create table fingerprint_fields (
    set_id integer not null,
    slot integer not null,
    name text not null,
    primary key (set_id, slot),
    unique (set_id, name)
  ) without rowid;

  create table locks (
    name text primary key,
    workflow_id text not null,
    first_run_id text not null,
    run_id text not null,
    kind text not null,
    fence integer not null,
    held integer not null,
    waiting text,
    taken_at text not null
  ) without rowid;

  create table pulls (
    target text not null,
    pull text not null,
    version integer not null,
    begun_by text not null,
    query_hash text not null,
    write_hash text not null,
    is_listed integer not null,
    ordinal integer not null,
    walk text,
    is_asking integer not null,
    is_done integer not null,
    steps integer not null,
    primary key (target, pull)
  ) without rowid;

  create table pull_pages (
    target text not null,
    pull text not null,
    page text not null,
    primary key (target, pull)
  );

  create table pull_domains (
    target text not null,
    pull text not null,
    ordinal integer not null,
    domain text not null,
    primary key (target, pull, ordinal),
    unique (target, pull, domain)
  ) without rowid;

  create table pull_keys (
    target text not null,
    pull text not null,
    key blob not null,
    primary key (target, pull, key)
  ) without rowid;

  create table pull_runs (
    run_id text primary key,
    is_continued integer not null,
    domains integer not null default 0,
    pages integer not null default 0,
    calls integer not null default 0,
    paid_twice integer not null default 0,
    read integer not null default 0,
    written integer not null default 0,
    unchanged integer not null default 0,
    missing integer not null default 0,
    results integer not null default 0,
    refused integer not null default 0,
    repeated integer not null default 0,
    domains_done integer not null default 0,
    domains_refused integer not null default 0,
    rounds_done integer not null default 0
  ) without rowid;

  create table hosts (
    host_id text not null,
    process text not null,
    temporal_id text not null,
    last_beat integer not null,
    version text not null,
    primary key (host_id, process)
  ) without rowid;

  create table budget (
    gate text primary key,
    boot_id text,
    written_at real not null,
    next_slot real not null,
    next_low_slot real not null,
    next_low_due real not null,
    closed_at real not null,
    closed_at_wall real not null,
    closed_for real not null,
    why text,
    failures integer not null,
    failed_why text,
    next_probe real not null,
    probe_lapses real not null,
    slowed integer not null,
    slowed_since real not null,
    slowed_at real not null
  ) without rowid;

  create table tickets (
    gate text not null,
    ticket text not null,
    priority integer not null,
    due real not null,
    primary key (gate, ticket)
  ) without rowid;
`;
