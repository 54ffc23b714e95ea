import { type Mutant, planting } from "../mutant.ts";

const hashed = planting({
  file: "test/src/pipeline/line-hashes.test.ts",
  title: "every bit of the hash of lines of pages tells it from others",
});

const failOver = planting({
  file: "test/src/cli/project/doctor.test.ts",
  title: "warns that a fail-over loses commits where there is a standby that none waits for",
});

const looked = planting({
  file: "test/src/cli/status/store-look.test.ts",
  title:
    "store show, doctor and check say of a store its version, its size and how far its clock is",
});

const encrypted = planting({
  file: "test/src/state/postgres/tls.test.ts",
  title: "a certificate that is not to be trusted opens neither, and the way out is told",
});

const inPieces = planting({
  file: "test/connectors/csv/plain-lines.test.ts",
  title: "becomes the same of a file that is not as csv is to be, in whatever pieces it comes",
});

const inBlocks = planting({
  file: "test/connectors/jsonl/plain-lines.test.ts",
  title: "becomes the same whatever blocks the file comes in",
});

const byTheRules = planting({
  file: "test/src/state/keys/verdicts.test.ts",
  title: "every verdict is that of the rules",
});

const missedThere = planting({
  file: "test/src/cli/status/transfer.test.ts",
  title: "counts no run as missed from before Temporal had the schedule",
});

const datedStates = planting({
  file: "test/src/schedules/schedule-states.test.ts",
  title: "asks of many for those alone of which it matters since when they are there",
});

/** Bugs that no test noticed, found by an audit of the proofs of each promise. */
export const mutantsOfAudits: readonly Mutant[] = [
  hashed({
    id: "S2027",
    plants: "of the hash of a line 8 bits are kept: one changed row of 256 is called unchanged",
    file: "src/pipeline/line-hashes.ts",
    find: '  hashes.write(hash("sha256", line, "binary"), index * hashBytes, hashBytes, "latin1");\n',
    replace:
      "  hashes.fill(0, index * hashBytes, (index + 1) * hashBytes);\n" +
      '  hashes.write(hash("sha256", line, "binary"), index * hashBytes, 1, "latin1");\n',
  }),
  failOver({
    id: "S2028",
    plants: "doctor says nothing where a fail-over loses what was committed last",
    file: "src/state/postgres/look-at-store.ts",
    find: "losesOnFailOver: standbys > 0 && !isAwaited,",
    replace: "losesOnFailOver: standbys > 1e9 && !isAwaited,",
  }),
  failOver({
    id: "S2029",
    plants: "doctor warns of lost commits where each waits for a standby",
    file: "src/state/postgres/look-at-store.ts",
    find: "losesOnFailOver: standbys > 0 && !isAwaited,",
    replace: "losesOnFailOver: standbys > 0 && (isAwaited || true),",
  }),
  looked({
    id: "S2087",
    plants: "doctor takes a reader of the store's changes for a standby",
    file: "src/state/postgres/look-at-store.ts",
    find: "slot_type = 'logical'",
    replace: "slot_type = 'none'",
    test: "test/src/state/postgres/look-at-store.test.ts",
    title: "a reader of a store's changes is no standby",
  }),
  looked({
    id: "S2030",
    plants: "a clock that is ahead of the host's is said to be behind it",
    file: "src/state/postgres/look-at-store.ts",
    find: "Math.round((rows[0]?.now ?? middle) - middle)",
    replace: "Math.round(middle - (rows[0]?.now ?? middle))",
  }),
  looked({
    id: "S2031",
    plants: "check does not look at the store",
    file: "src/cli/project/check.ts",
    find: "if (name === undefined && store !== undefined) {",
    replace: "if (name !== undefined && store !== undefined) {",
  }),
  looked({
    id: "S2032",
    plants: "doctor tells the name of a store alone",
    file: "src/cli/project/doctor.ts",
    find: "look: async () => storeText(await lookAtStore(server)) },",
    replace: "look: async () => storeText(await lookAtStore(server)).slice(0, 42) },",
  }),
  looked({
    id: "S2033",
    plants: "the version of the store that is told is that of this sluice's oldest",
    file: "src/state/postgres/look-at-store.ts",
    find: "version: Number(facts.get(versionName)),",
    replace: "version: Math.min(1, Number(facts.get(versionName))),",
  }),
  encrypted({
    id: "S2034",
    plants: "the state goes to whoever answers, whatever the certificate",
    file: "src/state/postgres/server.ts",
    find: 'rejectUnauthorized: tls === "verify-full"',
    replace: "rejectUnauthorized: false",
  }),
  encrypted({
    id: "S2035",
    plants: "whoever's certificate is not trusted is told to look whether the server runs",
    file: "src/state/postgres/store-error.ts",
    find: 'if (said instanceof ConfigError && said.field === "tls") {',
    replace: 'if (said instanceof ConfigError && said.field === "ssl") {',
  }),
  encrypted({
    id: "S2036",
    plants: "where the server has no TLS an authority is asked for",
    file: "src/state/postgres/store-error.ts",
    find: 'said.message.includes("does not support SSL")',
    replace: 'said.message.includes("does not know SSL")',
    title: "a server without TLS is told to turn it on",
  }),
  inPieces({
    id: "S2037",
    plants: "a CR at the end of a piece ends the row, and the LF after it another one",
    file: "connectors/csv/parse/scan.ts",
    find: 'if (after === this.#end && !this.#isFinal) return "more";',
    replace: "",
  }),
  inBlocks({
    id: "S2038",
    plants: "that the lines of a page are of several blocks is seen at the second line alone",
    file: "connectors/jsonl/lines.ts",
    find: "const blocks = new Set(lines.map(({ block }) => block));",
    replace: "const blocks = new Set(lines.slice(0, 2).map(({ block }) => block));",
  }),
  byTheRules({
    id: "S2039",
    plants: "what is older than `resend_after` is unchanged all the same",
    file: "src/state/sqlite/keys/look-up.ts",
    find: "and committed_at >= $committedAfter",
    replace: "",
  }),
  missedThere({
    id: "S2008",
    plants: "status counts runs as missed from before Temporal had the schedule",
    file: "src/cli/status/transfer.ts",
    find: "Math.max(...times)",
    replace: "Math.min(...times)",
  }),
  datedStates({
    id: "S2012",
    plants: "each of many schedules is asked for since when it is there",
    file: "src/schedules/schedule-state.ts",
    find: "of.names.filter((name)",
    replace: "[...states.keys()].filter((name)",
  }),
  {
    id: "S2009",
    plants: "a store that is away for a moment ends the command that follows a run, and its worker",
    edits: [
      {
        file: "src/cli/running/follow.ts",
        find: "await ahead(progress.run_id).catch(() => undefined);",
        replace: "await ahead(progress.run_id);",
      },
    ],
    test: {
      file: "test/src/cli/running/follow.test.ts",
      title: "goes on where the store cannot be read for a moment",
    },
  },
  {
    id: "S2011",
    plants: "a missed night is blamed on a run that its schedule did not start",
    edits: [
      {
        file: "src/schedules/missed.ts",
        find: "nominalAt }) => nominalAt !== null)",
        replace: "runId }) => runId !== null)",
      },
    ],
    test: {
      file: "test/src/schedules/missed.test.ts",
      title: "blames no run that the schedule did not start",
    },
  },
  {
    id: "S2010",
    plants: "records become unknown although a backfill that is being planned keeps theirs away",
    edits: [
      {
        file: "src/cli/backfill/backfill.ts",
        find: "      await refuseAnother(session, wanted);",
        replace: "      void refuseAnother;",
      },
    ],
    test: {
      file: "test/src/cli/verify/resend.test.ts",
      title: "stays known where another backfill of the sync is being planned",
    },
  },
  {
    id: "S2237",
    plants: "a look passes for a good one that could look up none of its records",
    edits: [
      {
        file: "src/verify/verify.ts",
        find: "refuseIncomparable(chosen, search, sync);",
        replace: "void refuseIncomparable;",
      },
    ],
    test: {
      file: "test/src/cli/verify/incomparable.test.ts",
      title:
        "a look that can look up none of its records does not pass for one that found all as it was sent",
    },
  },
  {
    id: "S2238",
    plants: "a sync is suggested by a name that the file has already",
    edits: [
      {
        file: "src/cli/project/suggest-sync.ts",
        find: "const names = new Set(taken);",
        replace: "const names = new Set<string>([...taken].slice(0, 0));",
      },
    ],
    test: {
      file: "test/src/cli/project/discover.test.ts",
      title: "gives a sync no name that is in the file already",
    },
  },
  {
    id: "S2239",
    plants: "a row of a person whose key has no apostrophe is not found",
    edits: [
      {
        file: "connectors/csv/write.ts",
        find: " ?? this.#wanted.get(this.#nameOf(row, defused))",
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/csv/write.test.ts",
      title: "finds the row of a person whose key has no apostrophe, and leaves the key as it is",
    },
  },
];
