import type { Mutant } from "../mutant.ts";

/** The heavyweight run that is killed at every effect. */
const crashPoints = {
  file: "test/crash/heavyweight.test.ts",
  title: "wherever it is killed",
} as const;

/** Mutants of docs/facts/faults.md#mutants: rows, records and checkpoints. */
export const mutantsOfRecords: readonly Mutant[] = [
  {
    id: "M1",
    plants: "the checkpoint is saved before the confirm",
    edits: [
      {
        file: "activities/upload/confirm-upload.ts",
        find: "      signal.throwIfAborted();\n",
        replace: `      signal.throwIfAborted();
      await state.movePart({ ...name, attempts, state: "accepted", at: isoNow(deps) });
      await state.commitChunk({ runId, chunk, stage, at: isoNow(deps) });
`,
      },
    ],
    test: crashPoints,
  },
  {
    id: "M1b",
    plants: "the workflow commits a chunk before it sends it",
    edits: [
      {
        file: "workflows/sync/send-chunk.ts",
        find: `  if (staged.records > 0) await sendParts(sending);
  await sending.turn;
`,
        replace: "  await sending.turn;\n",
      },
      {
        file: "workflows/sync/send-chunk.ts",
        find: "  // With the last chunk goes the run's folder, unless another lane has files in it.\n",
        replace: "  if (staged.records > 0) await sendParts(sending);\n",
      },
    ],
    test: {
      file: "test/workflows/replay.test.ts",
      title: "replay with today's workflows: heavyweight.json",
    },
  },
  {
    id: "M3",
    plants: "a row that cannot be read is skipped, with what follows it",
    edits: [
      {
        file: "connectors/csv/parse/pages.ts",
        find: "throw fatal(this.#read.place, this.#scanner, step);",
        replace: "return;",
      },
    ],
    test: {
      file: "test/connectors/csv/read.test.ts",
      title: "names the file and the line of a quote that is never closed",
    },
  },
  {
    id: "M9",
    plants: "a body is measured in characters",
    edits: [
      {
        file: "src/pipeline/chunk.ts",
        find: "this.#cutter.add(end - start);",
        replace: 'this.#cutter.add(jsonl.toString("utf8", start, end).length);',
      },
    ],
    test: {
      file: "test/src/pipeline/chunk.test.ts",
      title: "cuts bodies by the bytes of lines, not by their characters",
    },
  },
  {
    id: "S460",
    plants: "a dropped line is written with its neighbours",
    edits: [
      {
        file: "src/pipeline/chunk.ts",
        find: "if (start !== to) {",
        replace: "if (to === 0) {",
      },
    ],
    test: {
      file: "test/src/pipeline/chunk.test.ts",
      title: "writes no line that was dropped, wherever it stood between others",
    },
  },
  {
    id: "M10",
    plants: "one refused record rejects its whole chunk",
    edits: [
      {
        file: "activities/stage/split-chunk.ts",
        find: 'if ("without" in how) {\n    const refused',
        replace: `if ("without" in how) {
    return {
      keep: [],
      refused: records.map((record) => ({ record, code: "refused_by_service" as const })),
    };
    const refused`,
      },
    ],
    test: {
      file: "test/faults/answers.test.ts",
      title: "row 17: confirm-upload answered 422 naming the first record",
    },
  },
  {
    id: "M11",
    plants: "the last line is dropped when no line end comes after it",
    edits: [
      {
        file: "connectors/csv/parse/pages.ts",
        find: "if (!leavesOpenRow) {",
        replace: "if (leavesOpenRow) {",
      },
    ],
    test: {
      file: "test/connectors/csv/faults/rows.test.ts",
      title: "are accepted: no end after the last row",
    },
  },
  {
    id: "M13",
    plants: "a staging continues where the heartbeat of one that died says that it was",
    edits: [
      {
        file: "connectors/read-span.ts",
        find: `      for await (const read of source.read({ ...request, from, to, pageRowsMax, limit: left })) {
`,
        replace: `      const { Context } = await import("@temporalio/activity");
      from = Context.current().info.heartbeatDetails ?? from;
      for await (const read of source.read({ ...request, from, to, pageRowsMax, limit: left })) {
        Context.current().heartbeat(read.position);
`,
      },
    ],
    test: crashPoints,
  },
  {
    id: "M18",
    plants: "rejects are written after the checkpoint that covers them",
    edits: [
      {
        file: "activities/stage/stage-notes.ts",
        find: "await state.addRejects({ ...stage, rejects, at });",
        replace:
          "(globalThis.held ??= []).push(async () => await state.addRejects({ ...stage, rejects, at }));",
      },
      // Its guard would stop them in time.
      {
        file: "src/state/store/rejects/rejects.ts",
        find: '  if (staging?.state !== "staging") throw superseded(input);\n',
        replace: "",
      },
      {
        file: "activities/upload/commit-chunk.ts",
        find: '      if (kind !== "backfill") return',
        replace: `      for (const write of globalThis.held?.splice(0) ?? []) await write();
      if (kind !== "backfill") return`,
      },
    ],
    test: crashPoints,
  },
  {
    id: "M24",
    plants: "a source that is suddenly empty is a success that says nothing",
    edits: [
      {
        file: "activities/run/close-run.ts",
        find: '  if (outcome === "done" && read === 0 && !isPull) await warnOfEmptySource(deps, run);\n',
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/csv/faults/runs.test.ts",
      title: "warns of no rows where the run before had some",
    },
  },
  {
    id: "M4",
    plants: "a position is carried as a Date",
    edits: [
      {
        file: "connectors/postgres/read.ts",
        find: "return { of, changed: textAt(valueOf, changed), key, ...clock, ...table };",
        replace:
          "return { of, changed: new Date(textAt(valueOf, changed).replace(/\\+00$/, " +
          '"Z")).toISOString(), key, ...clock, ...table };',
      },
    ],
    test: {
      file: "test/connectors/postgres/read.test.ts",
      title: "continues after any page with exactly the rows that are left",
    },
  },
  {
    id: "M16",
    plants: "a pg client has no error listener",
    edits: [
      {
        file: "connectors/postgres/client.ts",
        find: '    this.#client.on("error", () => undefined);\n',
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/postgres/client.test.ts",
      title: "stays alive when the server ends an idle session, and says so at the next statement",
    },
  },
  {
    id: "S1631",
    plants: "a check says nothing of policies that may hide rows of the table",
    edits: [
      {
        file: "connectors/postgres/check.ts",
        find: 'row?.["is_active"] !== "t"',
        replace: "row !== undefined",
      },
    ],
    test: {
      file: "test/connectors/postgres/check.test.ts",
      title: "warns of a table whose policies may hide rows from the role, and not its owner",
    },
  },
  {
    id: "S1955",
    plants: "of two addresses in a cell the domain of the last is sent",
    edits: [
      {
        file: "src/mapping/domain.ts",
        find: "if (isOfSeveral(text)) return notHost;",
        replace: "if (isOfSeveral(text.slice(0, 1))) return notHost;",
      },
    ],
    test: {
      file: "test/src/mapping/domain.test.ts",
      title: 'refuses "foo@bar.com, baz@qux.com" as no host',
    },
  },
  {
    id: "S2217",
    plants: "a null of JSON counts as a value: it passes `required`, and clears the field",
    edits: [
      {
        file: "src/mapping/read-field.ts",
        find: "isEmpty(made) && !isKept",
        replace: "made === '' && !isKept",
      },
    ],
    test: { file: "test/src/mapping/compile.test.ts", title: "rejects a required null of JSON" },
  },
  {
    id: "S2219",
    plants: "a value that only the validation refuses costs the record, whatever `on_invalid` says",
    edits: [
      {
        file: "src/mapping/compile.ts",
        find: "refusal ?? (isOmitted ? propertyFaultOf(name, value) : undefined)",
        replace: "refusal ?? (isOmitted ? propertyFaultOf(name, undefined) : undefined)",
      },
    ],
    test: {
      file: "test/src/mapping/compile.test.ts",
      title: "leaves out, when told so, a value that only the validation refuses: too_deep",
    },
  },
];
