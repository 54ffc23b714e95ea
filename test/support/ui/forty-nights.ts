import type { RejectEntry } from "../../../src/state/contract/rejects/rejects.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { writePastRun, type PastChunk, type PastRun } from "./history.ts";

const nights = 40;
const dayMs = 86_400_000;

/** The nightly syncs of a CRM: three, of which one reads an inbox, and a pull. */
export const nightlyYaml = `version: 1
api:
  base_url: sandbox
  api_key: \${SLUICE_API_KEY}
connections:
  exports: { connector: csv, path: accounts.csv }
  people: { connector: csv, path: contacts.csv }
  forms: { connector: webhook, path: /hooks/forms, signature: none, allow_unsigned: true }
syncs:
  accounts:
    from: exports
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
    schedule: { cron: "0 3 * * *", time_zone: UTC }
  contacts:
    from: people
    stream: contact
    record: { contact_id: id, email: email, contact_properties: { name: name } }
    schedule: { cron: "30 3 * * *", time_zone: UTC }
  signups:
    from: forms
    stream: account
    record: { account_id: id, domain: domain, account_properties: {} }
pulls:
  account_scores:
    accounts: {}
    write_back:
      connection: exports
      file: scores.csv
      key: { mk_id: mk_id }
      set: { name: name }
`;

const reasons = [
  { code: "required", field: "domain", reason: "is required, and empty" },
  { code: "not_email", field: "email", reason: "is not an e-mail address" },
  { code: "duplicate_key", reason: "another row of this run has the key" },
] as const;

function rejectsOf(file: string, count: number, from: number): RejectEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const fault = reasons[index % 5 === 4 ? 2 : index % 2] ?? reasons[0];
    const line = from + index * 37;
    const row = `{"id":"c-${line}","name":"<script>alert('${line}')</script>"}`;
    return {
      stream: "account",
      place: `${file}:${line}`,
      key: `c-${line}`,
      step: "map",
      row,
      ...fault,
    };
  });
}

/** This many rows, of which some changed, in this many chunks one after the other. */
function chunksOf(
  file: string,
  read: number,
  shape: { sent: number; rejected: number; chunks: number },
): PastChunk[] {
  const { sent, rejected, chunks } = shape;
  const share = (count: number, at: number): number =>
    Math.floor((count * (at + 1)) / chunks) - Math.floor((count * at) / chunks);
  return Array.from({ length: chunks }, (_, at) => {
    const [rows, records, refused] = [share(read, at), share(sent, at), share(rejected, at)];
    const filtered = Math.floor(rows / 40);
    const unchanged = rows - records - refused - filtered;
    const changed = Math.floor(records * 0.8);
    return {
      counts: { read: rows, records, unchanged, filtered, rejected: refused },
      rejects: rejectsOf(file, refused, 100 + at * share(read, 0)),
      changes: {
        new: records - changed,
        changed,
        remapped: 0,
        unknown: 0,
        again: 0,
        fields: { "account_properties.name": changed, domain: Math.floor(changed / 3) },
      },
      beganMs: at * 1_700,
      committedMs: at * 1_700 + 2_400 + (at % 3) * 900,
      stages: at % 7 === 5 ? 2 : 1,
    };
  });
}

/** Writes three syncs and a pull, night after night until this time, and a run of tonight that is held. */
export async function writeFortyNights(
  store: StateStore,
  target: string,
  nowMs: number,
): Promise<void> {
  for (let night = 0; night < nights; night++) {
    const startedMs = Math.floor(nowMs / dayMs - nights + night) * dayMs + 3 * 3_600_000;
    const common = { target, startedMs } as const;
    const hasFailed = night % 13 === 7;
    const swing = 1 + ((night * 7) % 11) / 10;
    const outcome = hasFailed ? "failed" : "done_with_rejects";
    const failure = {
      code: "SourceUnavailable",
      message: "people: the file contacts.csv is not there",
      hint: "put it there, then run it again",
    };
    await writePastRun(store, {
      ...common,
      runId: `accounts-night-${night + 1}`,
      sync: "accounts",
      chunks: chunksOf("accounts.csv", Math.round(42_000 * swing), {
        sent: Math.round(3_900 * swing),
        rejected: 12 + (night % 9),
        chunks: 9,
      }),
      end: { outcome: "done_with_rejects", afterMs: 21_000 },
    });
    await writePastRun(store, {
      ...common,
      runId: `contacts-night-${night + 1}`,
      sync: "contacts",
      chunks: hasFailed
        ? []
        : chunksOf("contacts.csv", 9_000, { sent: 700, rejected: 4, chunks: 2 }),
      end: { outcome, afterMs: 6_000, ...(hasFailed ? { failure } : {}) },
    });
    await writePastRun(store, {
      ...common,
      runId: `signups-night-${night + 1}`,
      sync: "signups",
      kind: "inbox",
      chunks: chunksOf("forms", 60 + night, { sent: 50 + night, rejected: 0, chunks: 1 }),
      end: { outcome: "done", afterMs: 1_500 },
    });
    await writePull(store, {
      ...common,
      runId: `scores-night-${night + 1}`,
      sync: "account_scores",
      chunks: [],
    });
  }
  await writePastRun(store, heldRun(target, nowMs));
}

/** A run of a pull that wrote some scores. */
async function writePull(store: StateStore, run: PastRun): Promise<void> {
  const { target, sync: pull, runId, startedMs } = run;
  await writePastRun(store, { ...run, kind: "pull" });
  const name = { target, pull, runId };
  await store.beginPull({
    ...name,
    configHash: "c",
    queryHash: "q",
    writeHash: "w",
    anew: false,
    hasDomains: false,
  });
  const version = (await store.pullPlace(name))?.version ?? 0;
  const counts = { read: 400, written: 120, unchanged: 275, missing: 5 };
  const page = { pass: null, counts, rejects: [], keys: [], isRefusal: false };
  await store.commitPage({ ...name, version, ...page, at: new Date(startedMs).toISOString() });
  const endedAt = new Date(startedMs + 4_000).toISOString();
  await store.endRun({ runId, outcome: "done", endedAt });
}

/** Tonight's run: far more records changed than on other nights. */
function heldRun(target: string, nowMs: number): PastRun {
  const startedMs = nowMs - 3_600_000;
  const chunks = chunksOf("accounts.csv", 42_000, { sent: 31_204, rejected: 40, chunks: 5 });
  const broken = {
    guardrail: "changed_above",
    figure: 24_963,
    of: 41_300,
    bound: { share: 0.3 },
  };
  return {
    runId: "accounts-tonight",
    target,
    sync: "accounts",
    startedMs,
    chunks: chunks.map((staged) => ({ ...staged, committedMs: undefined })),
    hold: {
      number: 1,
      digest: "0123456789ab",
      since: new Date(startedMs + 20_000).toISOString(),
      broken: [broken],
      approvedAt: null,
    },
  };
}
