import type { Mutant } from "../mutant.ts";

const lookUp = "src/verify/look-up.ts";
const verifyTest = "test/src/cli/verify/verify.test.ts";
const erase = "src/state/store/keys/erase-key.ts";
const eraseTest = "test/src/state/keys/erase-key.test.ts";
const forgetTest = "test/src/cli/forget/forget.test.ts";
const erased = { file: eraseTest, title: "is erased wherever it is, and nothing else" };
const twenty = {
  file: verifyTest,
  title: "finds each of twenty differences and nothing else, with the calls that it announced",
};

/** Mutants of what is verified in the service, and of what is erased. */
export const mutantsOfVerified: readonly Mutant[] = [
  {
    id: "S1120",
    plants: "a look makes one call more than was announced",
    edits: [
      {
        file: lookUp,
        find: "while (tally.requests < callsMax) {",
        replace: "while (tally.requests <= callsMax) {",
      },
    ],
    test: {
      file: verifyTest,
      title: "looks up no more than calls-max allows, and says what is left",
    },
  },
  {
    id: "S1121",
    plants: "the first of several results is taken for the record",
    edits: [
      {
        file: lookUp,
        find: 'if (another !== undefined) return { record, verdict: "ambiguous" };',
        replace: "",
      },
    ],
    test: twenty,
  },
  {
    id: "S1122",
    plants: "what the service may still be working on is called missing",
    edits: [
      {
        file: lookUp,
        find: 'verdict: isRecent ? "recent" : "missing"',
        replace: 'verdict: "missing"',
      },
    ],
    test: {
      file: verifyTest,
      title: "calls nothing missing or different that was accepted within a day",
    },
  },
  {
    id: "S1123",
    plants: "a field whose row has changed since is compared with what is shown",
    edits: [{ file: "src/verify/compare.ts", find: "changed.has(field) ||", replace: "" }],
    test: {
      file: verifyTest,
      title:
        "compares what was sent: a field whose row has changed since is left out, a domain not looked up",
    },
  },
  {
    id: "S1124",
    plants: "a sample depends on the order of the rows",
    edits: [
      {
        file: "src/verify/sample.ts",
        find: 'return hash("sha256", `${this.#seed}\\n${key}`);',
        replace: "return String(1e6 + this.#seed + this.#drawn.length) + key.slice(0, 0);",
      },
    ],
    test: {
      file: verifyTest,
      title: "draws the same records again by the same seed, and others by another",
    },
  },
  {
    id: "S1125",
    plants: "more keys than calls are looked up as far as the calls go",
    edits: [
      {
        file: "src/verify/verify.ts",
        find: 'if ("keys" in choice && needed > callsMax) {',
        replace: 'if ("keys" in choice && needed > Infinity) {',
      },
    ],
    test: {
      file: verifyTest,
      title:
        "asks for nothing where more keys are named than calls-max allows, or one that no row has",
    },
  },
  {
    id: "S1126",
    plants: "a look goes on when the credits are used up",
    edits: [
      {
        file: lookUp,
        find: "if (error instanceof ApiAuthError || error instanceof CreditsExhaustedError) return true;",
        replace: "if (error instanceof ApiAuthError) return true;",
      },
    ],
    test: {
      file: verifyTest,
      title:
        "stops when the credits are used up, prints what it found, and asks for nothing the next time",
    },
  },
  {
    id: "S1127",
    plants: "records that were never accepted are looked up",
    edits: [
      {
        file: "src/verify/choose.ts",
        find: 'if (record?.state !== "accepted") continue;',
        replace: "if (record?.state === undefined) continue;",
      },
      {
        file: "src/verify/choose.ts",
        find: "const { acceptedAt } = record;",
        replace: 'const acceptedAt = "acceptedAt" in record ? record.acceptedAt : 0;',
      },
    ],
    test: {
      file: verifyTest,
      title:
        "compares what was sent: a field whose row has changed since is left out, a domain not looked up",
    },
  },
  {
    id: "S1128",
    plants: "a key is erased while a run of its sync is open",
    edits: [
      {
        file: erase,
        find: "        await refuseOpen(queries, of);\n        return {",
        replace: "        return {",
      },
    ],
    test: {
      file: eraseTest,
      title: "stays while a run of its sync is open, and is not forgotten either",
    },
  },
  {
    id: "S1129",
    plants: "rejects without a key keep the row of the person",
    edits: [
      {
        file: erase,
        find: 'const isMeant = own === key || [place, sourceRow ?? ""].some((text) => textMentions(text, key));',
        replace:
          'const isMeant = own === key || (place + (sourceRow ?? "")).includes(`\\0${textMentions.name}`);',
      },
    ],
    test: erased,
  },
  {
    id: "S1130",
    plants: "lists of keys that were sent keep the key",
    edits: [
      {
        file: erase,
        find: "await sentKeys.replace(queries, { send, key, by: forgottenKey });",
        replace: "await sentKeys.replace(queries, { send, key, by: key });",
      },
    ],
    test: erased,
  },
  {
    id: "S1131",
    plants: "kept pages keep the results of the person",
    edits: [
      {
        file: erase,
        find: ".set({ page: JSON.stringify({ ...kept, items }) })",
        replace: ".set({ page: JSON.stringify({ items, ...kept }) })",
      },
    ],
    test: erased,
  },
  {
    id: "S1132",
    plants: "fingerprints in Postgres stay, of SQLite alone they go",
    edits: [
      {
        file: "src/state/postgres/keys/key-keeping.ts",
        find: "delete from ${fingerprints} f using ${keyRelation(hashed)} k",
        replace:
          "delete from ${fingerprints} f using (select * from ${keyRelation(hashed)} a limit 0) k",
      },
    ],
    test: erased,
  },
  {
    id: "S1133",
    plants: "the log of a SQLite store keeps what was erased",
    edits: [
      {
        file: "src/state/sqlite/database.ts",
        find: 'return Number(db.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"]) === 0;',
        replace:
          'return Number(db.prepare("pragma wal_checkpoint(passive)").get()?.["busy"]) === 0;',
      },
    ],
    test: { file: eraseTest, title: "is in no byte of a SQLite store once it was shredded" },
  },
  {
    id: "S1134",
    plants: "staged files keep the lines of the person",
    edits: [
      {
        file: "src/cli/forget/staged-files.ts",
        find: "await rm(file, { force: true });",
        replace: "",
      },
    ],
    test: {
      file: forgetTest,
      title: "leaves nothing of a key in any byte of the state folder",
    },
  },
  {
    id: "S1135",
    plants: "payloads of which no record is made stay in the inbox",
    edits: [
      {
        file: "src/cli/forget/events-of-key.ts",
        find: "if (!others.has(index) && mentions(rowAt(page.source, index), key)) {",
        replace: "if (!others.has(index) && mentions(undefined, key)) {",
      },
    ],
    test: {
      file: forgetTest,
      title: "erases the payloads of the inbox that become its record, and leaves the others",
    },
  },
  {
    id: "S1136",
    plants: "what is to be sent again stays known, so that no run sends it",
    edits: [
      {
        file: erase,
        find: "await keeping.erase(queries, await setIdOf(queries, name), keys);",
        replace: "await keeping.erase(queries, await setIdOf(queries, name), keys.slice(0, 0));",
      },
    ],
    test: {
      file: eraseTest,
      title: "is forgotten where it is only to be sent again: its rejects stay",
    },
  },
];
