import type { Mutant } from "../mutant.ts";

/** Mutants of docs/facts/faults.md#mutants: deliveries, until they are kept. */
export const mutantsOfWebhooks: readonly Mutant[] = [
  {
    id: "M6",
    plants: "a webhook is answered 2xx before it is written",
    edits: [
      {
        file: "src/webhooks/delivery-handler.ts",
        find: "const verdict = await this.#keep({ connection, events });",
        replace: `void this.#keep({ connection, receivedAt, events });
    const verdict: Verdict | undefined = { kept: events.length, wake: true };`,
      },
    ],
    test: {
      file: "test/src/webhooks/server.test.ts",
      title: "answers nothing before a delivery is kept",
    },
  },
  {
    id: "M6b",
    plants: "a commit is answered before fsync",
    edits: [
      {
        file: "src/state/sqlite/database.ts",
        find: "pragma synchronous = full;",
        replace: "pragma synchronous = normal;",
      },
    ],
    test: {
      file: "test/src/inbox/sqlite/database.test.ts",
      title: "has each commit synced before it returns",
    },
  },
  {
    id: "M7",
    plants: "an event's id is noted before its payload",
    edits: [
      {
        file: "src/inbox/sqlite/event-ids.ts",
        find: "      recent.add({ ...named, receivedAt });\n",
        replace: `      recent.add({ ...named, receivedAt });
      recent.write();
      for (const sql of ["commit", "begin immediate"]) db.prepare(sql).run();
`,
      },
    ],
    test: {
      file: "test/src/inbox/sqlite/database.test.ts",
      title: "notes no id of an event that it could not keep",
    },
  },
  {
    id: "S2205",
    plants: "a small delivery in chunks is refused while large bodies hold all the room",
    edits: [
      {
        file: "src/webhooks/delivery-handler.ts",
        find: "room.take(bodyBytesOf(headers), response)",
        replace: "room.take(bodyBytesOf(headers) || bodyBytesMax, response)",
      },
    ],
    test: {
      file: "test/src/webhooks/limits.test.ts",
      title: "are refused beyond what fits into the memory, and keep small deliveries from nothing",
    },
  },
  {
    id: "S1742",
    plants: "a sender that has closed its side is not answered",
    edits: [
      {
        file: "src/webhooks/app.ts",
        find: "{ httpAllowHalfOpen: true }",
        replace: "{ httpAllowHalfOpen: false }",
      },
    ],
    test: {
      file: "test/src/webhooks/half-closed.test.ts",
      title: "a sender that has closed its side is answered all that is kept of it",
    },
  },
  {
    id: "S1922",
    plants: "a connection that has its name back is read from its beginning",
    edits: [
      {
        file: "connectors/inbox/index.ts",
        find: "others: from?.others }",
        replace: "others: undefined }",
      },
    ],
    test: {
      file: "test/activities/inbox/renamed-connection.test.ts",
      title: "continues where it was, once its connection was renamed and has its name back",
    },
  },
  {
    id: "S1923",
    plants: "a drain starts for ever for a sync that has read another connection since",
    edits: [
      {
        file: "activities/inbox/push-connections.ts",
        find: "positionIn(read, connection)",
        replace: "read",
      },
    ],
    test: {
      file: "test/activities/inbox-gap.test.ts",
      title: "is not read again by a sync that has read another connection since",
    },
  },
  {
    id: "S1987",
    plants: "a worker that starts keeps the number of checks of the inboxes that may still begin",
    edits: [
      {
        file: "src/schedules/inbox-check.ts",
        find: "state: { paused, note },",
        replace: "state: { paused, note, remainingActions: 1 },",
      },
    ],
    test: {
      file: "test/src/schedules/inbox-check.test.ts",
      title: "checks on though somebody limited by hand how many checks may still begin",
    },
  },
  {
    id: "S1919",
    plants: "events are removed that a sync has not read which reads another connection now",
    edits: [
      {
        file: "activities/inbox/push-connections.ts",
        find: "(read === undefined ? undefined : seqIn(read, connection)) ?? []",
        replace: "read?.connection === connection ? [read.seq] : []",
      },
    ],
    test: {
      file: "test/activities/inbox-gap.test.ts",
      title: "is not removed: of a sync that reads another connection now",
    },
  },
  {
    id: "S1946",
    plants: "an event's id outside ASCII is kept byte by byte",
    edits: [
      {
        file: "connectors/webhook/event-id.ts",
        find: "undefined : headerText(header);",
        replace: "undefined : header;",
      },
    ],
    test: {
      file: "test/connectors/webhook/event-id.test.ts",
      title: "names an event as its sender wrote the header, outside ASCII too",
    },
  },
  {
    id: "S2047",
    plants: "a failure of a drain is a repeated one, however long ago it was announced",
    edits: [
      {
        file: "activities/notify/announce-run.ts",
        find: "now() - Date.parse(before.endedAt) < drainRunsKeptMs",
        replace: "now() - Date.parse(before.endedAt) < Infinity * drainRunsKeptMs",
      },
    ],
    test: {
      file: "test/activities/notify/announce-run.test.ts",
      title:
        "tells of a drain that fails 0 ms around a day after one that failed so: notified 2 times",
    },
  },
  {
    id: "S2152",
    plants: "a resend that fails again is announced again where drains came in between",
    edits: [
      {
        file: "activities/notify/announce-run.ts",
        find: "kinds: [kind], limit",
        replace: "limit",
      },
    ],
    test: {
      file: "test/activities/notify/announce-run.test.ts",
      title: "tells once of a resend that fails again and again beside many drains",
    },
  },
  {
    id: "S1915",
    plants: "events wait behind a file for as long as the clock was set back",
    edits: [
      {
        file: "activities/inbox/look-into-inbox.ts",
        find: "...waits.map(Math.abs)",
        replace: "...waits",
      },
    ],
    test: {
      file: "test/activities/inbox/look-into-inbox.test.ts",
      title: "waits no longer than is set where the clock is set back",
    },
  },
  {
    id: "S2071",
    plants: "events that waited longer than their retention are removed as soon as they are sent",
    edits: [
      {
        file: "activities/inbox/check-inboxes.ts",
        find: "  if (since >= now - retentionMs) return 0;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/inbox/check-inboxes.test.ts",
      title: "counts the time from when every sync had accepted, and not from when an event came",
    },
  },
  {
    id: "S2072",
    plants: "a drain of a connection that no sync reads goes on for as long as events come",
    edits: [
      {
        file: "activities/inbox/look-into-inbox.ts",
        find: "const isIdle = syncs.length === 0;",
        replace: "const isIdle = syncs.length === 0 && backingOff.length > 0;",
      },
    ],
    test: {
      file: "test/activities/inbox/look-into-inbox.test.ts",
      title: "leaves the wake-up where no sync reads the connection",
    },
  },
  {
    id: "S2073",
    plants: "rejects of a connection that was renamed since cannot be replayed",
    edits: [
      {
        file: "connectors/inbox/index.ts",
        find: "await withEvents(request.config, work, request.to?.connection)",
        replace: "await withEvents(request.config, work)",
      },
    ],
    test: {
      file: "test/activities/inbox/renamed-connection.test.ts",
      title: "replays the rejects of a connection that was renamed since",
    },
  },
  {
    id: "S2164",
    plants:
      "nobody hears of the first drain that fails at another service as one at the former did",
    edits: [
      {
        file: "activities/notify/announce-run.ts",
        find: "runs.slice(own + 1).find((run) => run.target === target)",
        replace: "runs[own + 1]",
      },
    ],
    test: {
      file: "test/activities/notify/announce-run.test.ts",
      title:
        "tells of the first drain that fails at another service, though one at the former failed so",
    },
  },
  {
    id: "S2243",
    plants: "events of a connection that was renamed are removed whether or not they were accepted",
    edits: [
      {
        file: "activities/inbox/check-inboxes.ts",
        find: `  { connection, accepted }: Backlog,
): Promise<number> {`,
        replace: `  { connection, last: accepted }: Backlog,
): Promise<number> {`,
      },
      {
        file: "activities/inbox/check-inboxes.ts",
        find: "removable: Math.min(accepted, kept)",
        replace: "removable: Math.max(accepted, kept)",
      },
    ],
    test: {
      file: "test/activities/inbox/check-inboxes.test.ts",
      title: "removes what was accepted of a connection that was renamed, and nothing that waits",
    },
  },
];
