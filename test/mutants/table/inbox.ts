import type { Mutant } from "../mutant.ts";

/** Mutants outside the fault tables: deliveries, the inbox, and its readers. */
export const mutantsOfInbox: readonly Mutant[] = [
  {
    id: "S34",
    plants: "a position of another inbox is taken for ours",
    edits: [
      {
        file: "connectors/inbox/index.ts",
        find: "return isOurs && seq <= this.last && (await isSameEvent(this.#inbox, position));",
        replace: "return isOurs || connection === this.connection;",
      },
    ],
    test: {
      file: "test/connectors/inbox/index.test.ts",
      title: "continues in its own inbox alone",
    },
  },
  {
    id: "S35",
    plants: "the wake-up is taken after the look",
    edits: [
      {
        file: "activities/inbox/look-into-inbox.ts",
        find: `      const last = await inbox.takeWakeUp({ connection });
      const readings = await readingsOf(deps, inbox, all);`,
        replace: `      const readings = await readingsOf(deps, inbox, all);
      const last = await inbox.takeWakeUp({ connection });`,
      },
    ],
    test: {
      file: "test/activities/inbox/look-into-inbox.test.ts",
      title: "has its sender wake for what comes while it looks",
    },
  },
  {
    id: "S36",
    plants: "every event starts a drain that a refused key ends again",
    edits: [
      {
        file: "activities/inbox/look-into-inbox.ts",
        find: "if (blocked !== null || isIdle) {",
        replace:
          "if (blocked !== null || isIdle) {\n        await inbox.takeWakeUp({ connection });",
      },
    ],
    test: {
      file: "test/activities/inbox/look-into-inbox.test.ts",
      title: "says why nothing can be sent, and leaves the wake-up",
    },
  },
  {
    id: "S37",
    plants: "every check starts a drain that a refused key ends again",
    edits: [
      {
        file: "activities/inbox/check-inboxes.ts",
        find: "if (!isUnread || blocked !== null) continue;",
        replace: "if (!isUnread) continue;",
      },
    ],
    test: {
      file: "test/activities/inbox/check-inboxes.test.ts",
      title: "starts none while nothing can be sent",
    },
  },
  {
    id: "S38",
    plants: "events go before the slowest sync has accepted them",
    edits: [
      {
        file: "activities/inbox/look-into-inbox.ts",
        find: "const upTo = Math.min(...seqs);",
        replace: "const upTo = Math.max(...seqs);",
      },
    ],
    test: {
      file: "test/activities/inbox/check-inboxes.test.ts",
      title: "removes nothing that a sync has not accepted, or that no sync reads",
    },
  },
  {
    id: "S39",
    plants: "the second body of an id is sent over the first",
    edits: [
      {
        file: "connectors/inbox/index.ts",
        find: "isConflict ? conflict : values",
        replace: "values",
      },
    ],
    test: {
      file: "test/connectors/inbox/index.test.ts",
      title: "rejects what is not an object and what came under another's id, with its text",
    },
  },
  {
    id: "S40",
    plants: "a signature is compared over JSON that was written again",
    edits: [
      {
        file: "connectors/webhook/receive.ts",
        find: "return signatures[config.signature].verify(request, config.secret ?? []);",
        replace: `const parsed = parse(request.body.toString("utf8"));
  const body = parsed === undefined ? request.body : Buffer.from(JSON.stringify(parsed.value));
  return signatures[config.signature].verify({ ...request, body }, config.secret ?? []);`,
      },
    ],
    test: {
      file: "test/connectors/webhook/receive.test.ts",
      title: "takes what is signed, with its id",
    },
  },
  {
    id: "S41",
    plants: "a sequence number is given out again once its event is gone",
    edits: [
      {
        file: "src/inbox/sqlite/keeping.ts",
        find: '"select number, last_seq as last, woken as hasWakeUp from connections where name = $name"',
        replace: `\`select number, coalesce((select max(place) % (1 << 40) from events where place >> 40 = number),
          0) as last,
     woken as hasWakeUp from connections where name = $name\``,
      },
    ],
    test: {
      file: "test/src/inbox/contract.test.ts",
      title: "gives no sequence number out again, also once it was emptied and opened anew",
    },
  },
  {
    id: "S42",
    plants: "the events of a list share one id, so that all but the first are dropped",
    edits: [
      {
        file: "connectors/webhook/event-id.ts",
        find: 'return index === undefined && !delivery.includes("#") ?',
        replace: "return index !== -1 ?",
      },
    ],
    test: {
      file: "test/connectors/webhook/event-id.test.ts",
      title: "names events by a header and their places",
    },
  },
  {
    id: "S43",
    plants: "what the disk did not take is answered 2xx",
    edits: [
      {
        file: "src/webhooks/delivery-handler.ts",
        find: "      watch.failed(error);\n      return undefined;",
        replace:
          "      watch.failed(error);\n      return { kept: delivery.events.length, wake: false };",
      },
    ],
    test: {
      file: "test/src/webhooks/store.test.ts",
      title: "answers 503, says when to come again, stays up, and recovers alone",
    },
  },
  {
    id: "S49",
    plants: "the ids of a transaction that failed stay in memory",
    edits: [
      {
        file: "src/inbox/sqlite/event-ids.ts",
        find: "        if (isBegun) recent.reset();\n        throw error;",
        replace: "        throw error;",
      },
    ],
    test: {
      file: "test/src/inbox/sqlite/event-ids.test.ts",
      title:
        "takes and forgets as one who wrote everything down, whoever of several processes is asked",
    },
  },
  {
    id: "S2007",
    plants: "of the bodies of an id some are forgotten, where a transaction takes no more",
    edits: [
      {
        file: "src/inbox/sqlite/event-ids.ts",
        find: "(connection, id_hash) in (\n       select connection, id_hash from",
        replace:
          "(connection, id_hash, body_hash) in (\n       select connection, id_hash, body_hash from",
      },
    ],
    test: {
      file: "test/src/inbox/contract.test.ts",
      title: "forgets them together, too, where they are too many for one transaction",
    },
  },
  {
    id: "S50",
    plants: "ids that are half merged are dropped from where they were",
    edits: [
      {
        file: "src/inbox/sqlite/recent-ids.ts",
        find: "    if (full.next < full.order.length) return;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/inbox/sqlite/event-ids.test.ts",
      title: "continues after a kill where ids were half merged",
    },
  },
  {
    id: "S311",
    plants: "an inbox that an older sluice made cannot be opened for the name of a column",
    edits: [
      {
        file: "src/inbox/sqlite/migrations.ts",
        find: '"alter table connections rename column rung to woken;",',
        replace: "",
      },
    ],
    test: {
      file: "test/src/inbox/sqlite/database.test.ts",
      title: "keeps the events of an inbox that an older sluice made, and what was to be woken for",
    },
  },
  {
    id: "S740",
    plants: "the answer to a call under way lets the process end before its inbox is closed",
    edits: [
      {
        file: "src/inbox/sqlite/open.ts",
        find: "      await close().catch(() => undefined);\n",
        replace: "      void close().catch(() => undefined);\n",
      },
    ],
    test: {
      file: "test/src/inbox/sqlite/processes.test.ts",
      title: "ends its process with 0 when it is closed while a call is under way",
    },
  },
  {
    id: "S1740",
    plants:
      "events that are kept for a sync which reads another connection now are kept without a word",
    edits: [
      {
        file: "src/cli/status/inbox.ts",
        find: "const isReadNow = target === own && syncs.get(sync)?.connection === connection;",
        replace: "const isReadNow = target === own && syncs.has(sync);",
      },
    ],
    test: {
      file: "test/activities/inbox-gap.test.ts",
      title: "is told of a sync that reads another connection now, and of none that reads this one",
    },
  },
  {
    id: "S1743",
    plants:
      "an older copy of an inbox that has given out as many numbers is taken for the one that was read",
    edits: [
      {
        file: "connectors/inbox/index.ts",
        find: "return isOurs && seq <= this.last && (await isSameEvent(this.#inbox, position));",
        replace: "return isOurs && seq <= this.last;",
      },
    ],
    test: {
      file: "test/activities/inbox-sync.test.ts",
      title:
        "reads an older copy that has given out as many numbers again from its beginning, and says so",
    },
  },
  {
    id: "S1744",
    plants: "a drain takes what an older copy of an inbox was given since for read",
    edits: [
      {
        file: "activities/inbox/push-connections.ts",
        find: "const isThere = isOurs && read.seq <= last && (await isSameEvent(inbox, read));",
        replace: "const isThere = isOurs && read.seq <= last;",
      },
    ],
    test: {
      file: "test/activities/inbox/look-into-inbox.test.ts",
      title:
        "takes nothing for accepted that a checkpoint at an event of a newer copy of the inbox would cover",
    },
  },
];
