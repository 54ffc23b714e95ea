/** Step 3: rate limits in the field's words, with what blocks them; reservations have to be made again. */
export const rateLimits = `
  create table rate_limits (
    name text primary key,
    boot_id text,
    written_at real not null,
    written_at_wall real not null,
    next_permit real not null,
    next_low_permit real not null,
    reservations text not null,
    blocked_until real not null,
    why text,
    failures integer not null,
    next_probe real not null,
    throttled integer not null,
    throttled_since real not null,
    throttled_at real not null
  ) without rowid;
  insert into rate_limits
    select gate, boot_id, closed_at, closed_at_wall, next_slot, next_low_slot, '[]', closed_at + closed_for,
           coalesce(why, failed_why), failures, max(next_probe, probe_lapses), slowed, slowed_since, slowed_at
    from budget;
  drop table budget;
  drop table tickets;
`;
