import type { Mutant } from "../mutant.ts";

const gapTest = "test/activities/inbox-gap.test.ts";
const mappingTest = "test/activities/run/older-mapping.test.ts";
const cutTest = "test/activities/cut-chunk.test.ts";
const goesOn =
  "is continued with by the next run: nothing goes twice, and what was refused is not looked for again";

/** Mutants of records that the service refuses without naming them, of gaps in an inbox, and of changing mappings. */
export const mutantsOfUnnamed: readonly Mutant[] = [
  {
    id: "S130",
    plants: "a record that the service refused is looked for again by each run",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
        find: "refused: request.full === true ? undefined : { target: deps.target, sync: name, since },",
        replace: "refused: undefined,",
      },
    ],
    test: { file: cutTest, title: goesOn },
  },
  {
    id: "S131",
    plants: "of a chunk that is given up on its way, what was accepted is sent again",
    edits: [
      {
        file: "src/state/sqlite/keys/look-up.ts",
        find: "state in ('committed', 'cut')",
        replace: "state = 'committed'",
      },
    ],
    test: { file: cutTest, title: goesOn },
  },
  {
    id: "S132",
    plants: "of a chunk that is given up on its way, what never left counts as known",
    edits: [
      {
        file: "src/state/store/sends/split.ts",
        find: "    await keys.forget(\n",
        replace: "    await Promise.resolve(\n",
      },
    ],
    test: { file: cutTest, title: goesOn },
  },
  {
    id: "S133",
    plants: "a dozen bad records that the service does not name stop a run for ever",
    edits: [
      {
        file: "src/pipeline/rejects.ts",
        find: "return Math.min(splitsPerRunMax, Math.max(splitsPerRunMin, asked));",
        replace: "return Math.min(splitsPerRunMin, asked);",
      },
    ],
    test: {
      file: "test/src/pipeline/rejects.test.ts",
      title: "follows the limit of rejects where halving finds them all",
    },
  },
  {
    id: "S134",
    plants: "a record that was refused and changed since is not tried",
    edits: [
      {
        file: "src/pipeline/known-refusals.ts",
        find: "const refusal = known.get(nameOf(key, hashOf(candidates.lineAt(position))));",
        replace: "const refusal = refusals.find((each) => each.key === key);",
      },
    ],
    test: {
      file: cutTest,
      title: "has a refused record tried that changed since, and all of them by a full run",
    },
  },
  {
    id: "S135",
    plants: "a run reads on behind events that were removed, without a word",
    edits: [
      {
        file: "connectors/inbox/index.ts",
        find: "return Math.max(0, upTo - after - (await this.#inbox.held({ connection, after, upTo })));",
        replace: "return 0 * (await this.#inbox.held({ connection, after, upTo }));",
      },
    ],
    test: { file: gapTest, title: "are counted as gone, warned of, and no success" },
  },
  {
    id: "S136",
    plants:
      "events go that a sync of another account, or one that is left out for a while, never had",
    edits: [
      {
        file: "activities/inbox/check-inboxes.ts",
        find: "const removable = Math.min(accepted, await leastKept(deps, inbox, connection));",
        replace: "const removable = accepted;",
      },
    ],
    test: { file: gapTest, title: "is not removed: of another account" },
  },
  {
    id: "S137",
    plants: "a run that reads on says nothing of records that an older mapping made",
    edits: [
      {
        file: "activities/run/older-mapping.ts",
        find: "if (text !== undefined) await state.addWarnings({ runId, warnings: [text] });\n  else if",
        replace: "if",
      },
    ],
    test: {
      file: mappingTest,
      title:
        "a run that reads on says how many records an older mapping made, and a row that changes is one less",
    },
  },
  {
    id: "S138",
    plants: "the mapping is said to have changed for ever, whatever a backfill sent",
    edits: [
      {
        file: "activities/run/older-mapping.ts",
        find: "if (isDone && (await hasReadAll({ state }, run))) return await state.forgetOlderMappings(of);",
        replace: "await hasReadAll({ state }, run);",
      },
    ],
    test: {
      file: mappingTest,
      title:
        "is quiet once a backfill has read everything, also of rows that it left alone or that are gone",
    },
  },
  {
    id: "S139",
    plants:
      "events are sent right after a file that the service is still applying, whatever is set",
    edits: [
      {
        file: "activities/inbox/look-into-inbox.ts",
        find: "const waitMs = Math.max(lingerMs, await fileWaitMsOf(deps, inbox, own));",
        replace: "const waitMs = lingerMs;",
      },
    ],
    test: {
      file: "test/activities/inbox/look-into-inbox.test.ts",
      title:
        "waits after a file of the stream as long as it is set, and an event no longer than that",
    },
  },
  {
    id: "S2000",
    plants: "a header line without a name is to be named by columns, which sends it as a record",
    edits: [
      {
        file: "connectors/csv/parse/header.ts",
        find: "`Name each in the file, or take out the delimiter that makes it. ${isRowHint}`",
        replace: '"Name every column, or set header: false with columns."',
      },
    ],
    test: {
      file: "test/connectors/csv/parse/header.test.ts",
      title: "names the columns of a file without names only where its first line is a row",
    },
  },
  {
    id: "S2001",
    plants: "init refuses a column for a few rows, and nobody learns how to begin with such a file",
    edits: [
      {
        file: "src/cli/project/sample.ts",
        find: 'found again by it; where " +',
        replace: 'found again by it" || "" +',
      },
    ],
    test: {
      file: "test/src/cli/project/sample.test.ts",
      title:
        "says of rows of a key that came before how a file with some is begun with all the same",
    },
  },
  {
    id: "S2002",
    plants: "what a chunk has read is forgotten when its source says to ask later",
    edits: [
      {
        file: "activities/stage/stage-line.ts",
        find: "if (read === 0 || signal.aborted",
        replace: "if (read >= 0 || signal.aborted",
      },
    ],
    test: {
      file: "test/activities/stage/patience.test.ts",
      title: "reads a list to its end of which each try is allowed a few pages",
    },
  },
  {
    id: "S2003",
    plants: "a source that says to ask in an hour is asked for the next chunk at once",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
        find: "      patience.assertOver(runId);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/stage/patience.test.ts",
      title: "keeps what came before its source says to ask later, and asks for nothing until then",
    },
  },
  {
    id: "S2004",
    plants: "a chunk that its source ended counts as the last one: the rows behind it are lost",
    edits: [
      {
        file: "activities/stage/stage-line.ts",
        find: "facts.done && later === undefined",
        replace: "facts.done",
      },
    ],
    test: {
      file: "test/activities/stage/patience.test.ts",
      title: "keeps what came before its source says to ask later, and asks for nothing until then",
    },
  },
  {
    id: "S2005",
    plants: "a backfill of webhook events sends a record's older versions over its newest",
    edits: [
      {
        file: "src/backfill/source.ts",
        find: "  if (source.push !== undefined) return true;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/replayable.test.ts",
      title: "sends versions of records out of their order neither of what is pushed",
    },
  },
];
