import { onTestFinished } from "vitest";

import type { Dependencies } from "../../activities/dependencies.ts";
import { openSqliteInbox } from "../../src/inbox/sqlite/open.ts";
import { lateRequest } from "../support/late-request.ts";
import { overMs } from "../support/project/doubt-story.ts";
import { accountsCsv, accountsYaml, Harness, harnessHead } from "../support/project/harness.ts";
import { accountsFound, pullYaml, rowsOf } from "../support/project/pull-project.ts";
import { TestRun } from "../support/project/test-run.ts";
import type { HeldStep } from "./stops.ts";

/** A workflow as the start form of the Web UI starts it. */
export type Started = { readonly type: string; readonly input: unknown };

/** A project with a run to be tested. */
export type Subject = {
  readonly harness: Harness;
  /** In addition to the harness's own. */
  readonly deps: Partial<Dependencies>;
  readonly run: Started;
  /** The run that follows it. */
  readonly next: Started;
  /** Gives every row of the source a newer value. */
  readonly renew: () => Promise<void>;
  /** What is missing or wrong once the newest values were transferred. */
  readonly wrong: () => Promise<readonly string[]>;
};

/** A kind of run. */
export type Kind = {
  readonly name: string;
  /** The activity that makes the first chunk, or brings the first page. */
  readonly begins: "pullPages" | "stageChunk";
  /** The request at which a run is held while it sends, and how many pass before it. */
  readonly sends: { readonly step: HeldStep; readonly passing: number };
  /** The activities of a run, in the order in which the first of each is scheduled. */
  readonly steps: readonly string[];
  /** The updates that it accepts, with their input. */
  readonly updates: Readonly<Record<string, unknown>>;
  /** The signals that it handles. */
  readonly signals: readonly string[];
  /** Whether a run of it may continue in another execution. */
  readonly continues: boolean;
  /** Whether it waits until no request on its way can still be applied: it is not held while it sends. */
  readonly waitsForAnswers?: boolean;
  /** Whether it waits for the update `approve`. */
  readonly waits?: boolean;
  readonly open: (how: { readonly continues: boolean }) => Promise<Subject>;
};

/** Two chunks of rows. */
const rows = 1_500;

function namesFrom(value: string): (row: number) => string {
  return (row) => `${value} ${row}`;
}

function advanced(continues: boolean): string {
  return `advanced: { retry_initial: 100ms${continues ? ", chunks_per_run: 1" : ""} }\n`;
}

/** The keys of accounts whose newest name the service does not hold. */
async function wrongAccounts(harness: Harness, count: number): Promise<readonly string[]> {
  const names = await harness.sandbox.names();
  const keys = Array.from({ length: count }, (_, row) => row);
  const wrong = keys.flatMap((row) => {
    const name = names.get(`a${row}`);
    return name === `newer ${row}` ? [] : [`a${row} is ${String(name)}`];
  });
  const shown = wrong.length > 3 ? [...wrong.slice(0, 3), `${wrong.length} in all`] : wrong;
  return names.size === count ? shown : [...shown, `${names.size} accounts instead of ${count}`];
}

async function openAccounts(
  how: { readonly continues: boolean; readonly count?: number },
  ...sync: readonly string[]
): Promise<Omit<Subject, "run">> {
  const { continues, count = rows } = how;
  const harness = await Harness.open({
    yaml: `${accountsYaml(...sync)}${advanced(continues)}`,
    files: { "accounts.csv": accountsCsv(count, namesFrom("first")) },
  });
  return {
    harness,
    deps: {},
    next: { type: "sync", input: { sync: "accounts" } },
    renew: async () => await harness.write("accounts.csv", accountsCsv(count, namesFrom("newer"))),
    wrong: async () => await wrongAccounts(harness, count),
  };
}

function push(mode: "heavyweight" | "lightweight"): Kind {
  const uploads = mode === "lightweight" ? ["uploadJson"] : ["uploadFile", "confirmUpload"];
  return {
    name: mode === "lightweight" ? "sync" : "sync, files",
    begins: "stageChunk",
    sends: { step: mode === "lightweight" ? "uploadJson" : "confirmUpload", passing: 1 },
    steps: ["openRun", "stageChunk", ...uploads, "commitChunk", "dropChunk", "closeRun"],
    updates: {},
    signals: [],
    continues: true,
    open: async (how) => ({
      ...(await openAccounts(how, "chunk: { records: 1000 }", `mode: ${mode}`)),
      run: { type: "sync", input: { sync: "accounts" } },
    }),
  };
}

/** Enough for two lanes. */
const backfillRows = 11_000;

function backfill(waits: boolean): Kind {
  const approval = waits ? {} : { approve: "auto" };
  const input = { sync: "accounts", lanes: 2, send: "all", ...approval };
  return {
    name: waits ? "backfill that waits" : "backfill",
    begins: "stageChunk",
    sends: { step: "uploadJson", passing: 2 },
    steps: [
      "planBackfill",
      "openBackfill",
      "stageChunk",
      "uploadJson",
      "commitChunk",
      "dropChunk",
      "closeRun",
    ],
    updates: {
      approve: undefined,
      discard: undefined,
      pause: undefined,
      resume: undefined,
      set_lanes: { lanes: 1 },
    },
    signals: [],
    continues: true,
    waits,
    open: async (how) => ({
      ...(await openAccounts(
        { ...how, count: backfillRows },
        "chunk: { records: 3000 }",
        "mode: lightweight",
        "approve: { auto_up_to: 0 }",
      )),
      run: { type: "backfill", input },
    }),
  };
}

const pull: Kind = {
  name: "pull",
  begins: "pullPages",
  sends: { step: "search", passing: 1 },
  steps: ["openPull", "pullPages", "closeRun"],
  updates: {},
  signals: [],
  continues: true,
  open: async ({ continues }) => {
    const harness = await Harness.open({
      yaml: `${pullYaml()}${advanced(continues)}`,
      files: { "companies.csv": "id,website\n" },
    });
    const run = { type: "searchPull", input: { pull: "scores" } };
    return {
      harness,
      deps: {},
      run,
      next: run,
      renew: async () => undefined,
      wrong: async () => {
        const [, ...lines] = await rowsOf(harness, "scores.csv");
        const keys = new Set(lines.map((line) => line.split(",")[0]));
        const isWhole = lines.length === accountsFound && keys.size === accountsFound;
        return isWhole ? [] : [`${lines.length} rows of ${keys.size} accounts`];
      },
    };
  },
};

const replay: Kind = {
  name: "replay",
  begins: "stageChunk",
  sends: { step: "uploadJson", passing: 0 },
  steps: ["openRun", "stageChunk", "uploadJson", "commitChunk", "dropChunk", "closeRun"],
  updates: {},
  signals: [],
  continues: false,
  open: async (how) => {
    const subject = await openAccounts(how, "chunk: { records: 1000 }", "mode: lightweight");
    subject.harness.sandbox.refuse("upload-json", [0, 1]);
    await (await TestRun.open(subject.harness)).transfer("body");
    return {
      ...subject,
      run: { type: "sync", input: { sync: "accounts", replay: { run: "run-1" } } },
    };
  },
};

const resend: Kind = {
  name: "resend",
  begins: "stageChunk",
  sends: { step: "uploadJson", passing: 0 },
  steps: [
    "lookForDoubts",
    "openRun",
    "stageChunk",
    "uploadJson",
    "commitChunk",
    "dropChunk",
    "closeRun",
  ],
  updates: {},
  signals: ["wake"],
  continues: false,
  waitsForAnswers: true,
  open: async (how) => {
    const subject = await openAccounts(how, "mode: lightweight");
    const { harness } = subject;
    const first = await TestRun.open(harness);
    const late = await lateRequest(first, await first.stage(), "aborted");
    await first.close({ outcome: "cancelled" });
    await harness.write("accounts.csv", accountsCsv(rows, namesFrom("second")));
    await (await TestRun.open(harness, { runId: "run-2" })).transfer("body");
    await late.arrive();
    harness.clock.nowMs += overMs;
    return { ...subject, run: { type: "resend", input: { sync: "accounts" } } };
  },
};

const drainYaml = `${harnessHead}connections:
  forms: { connector: webhook, path: /hooks/forms, signature: none, allow_unsigned: true, linger: 1ms }
syncs:
  accounts:
    from: forms
    stream: account
    chunk: { records: 1000 }
    mode: lightweight
    record: { account_id: id, domain: domain, account_properties: { name: name } }
`;

const drain: Kind = {
  name: "drain",
  begins: "stageChunk",
  sends: { step: "uploadJson", passing: 1 },
  steps: [
    "lookIntoInbox",
    "openRun",
    "stageChunk",
    "uploadJson",
    "commitChunk",
    "dropChunk",
    "closeRun",
  ],
  updates: {},
  signals: ["wake"],
  continues: true,
  open: async ({ continues }) => {
    const harness = await Harness.open({ yaml: `${drainYaml}${advanced(continues)}` });
    const inbox = await openSqliteInbox(harness.deps.config.stateFolder);
    onTestFinished(async () => await inbox.close());
    const post = async (value: string): Promise<void> => {
      const events = Array.from({ length: rows }, (_, row) => ({
        json: JSON.stringify({ id: `a${row}`, domain: `c${row}.example`, name: `${value} ${row}` }),
      }));
      for (let from = 0; from < rows; from += 1_000) {
        const some = events.slice(from, from + 1_000);
        await inbox.keep({ connection: "forms", receivedAt: harness.clock.nowMs, events: some });
      }
    };
    await post("first");
    const run = { type: "inboxDrain", input: { connection: "forms" } };
    return {
      harness,
      deps: { inboxes: { inbox, startDrain: async () => undefined } },
      run,
      next: run,
      renew: async () => await post("newer"),
      wrong: async () => await wrongAccounts(harness, rows),
    };
  },
};

/** Every kind of run that transfers something. */
export const kinds: readonly Kind[] = [
  push("lightweight"),
  push("heavyweight"),
  backfill(false),
  backfill(true),
  pull,
  drain,
  replay,
  resend,
];
