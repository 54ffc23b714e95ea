import { randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The secrets that every test project is made with, so that a leak shows wherever it happens (P18, T11). */
export const canaries = {
  apiKey: "canary-api-key",
  /** Is in the environment and in the configuration, and opens nothing there. */
  databaseUrl: "postgres://sluice:canary-database-password@db.example/crm",
  webhookSecret: "canary-webhook-secret-of-a-sender",
} as const;

const basic = Buffer.from(`${canaries.apiKey}:`).toString("base64");

/** The patterns that must not be found, by kind. Every row that tests make up has a domain such as c12.example. */
const patterns = {
  "API key": new RegExp(`${canaries.apiKey}|${basic}`, "i"),
  "database password": /canary-database-password/i,
  "webhook secret": /canary-webhook-secret/i,
  signature: /[?&](?:signature|x-amz-signature)=\w|canary-signature/i,
  // A receiver of notifications: its path, and its secret with and without base64.
  receiver: /canary-(?:notify|path)|Y2FuYXJ5LW5vdGlmeS/i,
  // A value of a row, or the sender's id of an event.
  cell: /\bc\d+\.example\b|canary-(?:cell|delivery)/i,
} as const;

/** A kind of canary. */
export type Canary = keyof typeof patterns;

const kinds: readonly Canary[] = [
  "API key",
  "database password",
  "webhook secret",
  "signature",
  "receiver",
  "cell",
];

/** The kinds of canary in a text. Base64, in which Temporal's JSON keeps payloads, is searched too. */
export function canariesIn(text: string): Canary[] {
  const payloads = [...text.matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g)];
  const texts = [text, ...payloads.map(([, data = ""]) => Buffer.from(data, "base64").toString())];
  return kinds.filter((kind) => texts.some((each) => patterns[kind].test(each)));
}

/** Something that people or other programs may read. */
export type Evidence = {
  readonly what: string;
  readonly text: string;
  /** The canaries it may hold, such as cells in the output of `sluice rejects`. @default nothing */
  readonly mayHold?: readonly Canary[];
};

/** @throws {Error} a canary is where it must not be; says which kind and where, and not the text next to it. */
export function refuseCanaries({ what, text, mayHold = [] }: Evidence): void {
  const found = canariesIn(text).filter((kind) => !mayHold.includes(kind));
  if (found.length > 0) throw new Error(`${what} holds a secret or a row: ${found.join(", ")}`);
}

/** The variable with the folder in which the whole suite's evidence is kept; unset outside the suite. */
export const evidenceVariable = "SLUICE_TEST_EVIDENCE";

/** Keeps evidence for the search after the suite, and searches it at once. @throws {Error} as `refuseCanaries`. */
export async function keepEvidence(evidence: Evidence): Promise<void> {
  const folder = process.env[evidenceVariable];
  if (folder !== undefined) {
    await writeFile(join(folder, `${randomUUID()}.json`), JSON.stringify(evidence));
  }
  refuseCanaries(evidence);
}

/** Files of a project that are made to hold rows and keys; `ofSecrets` matches those that hold secrets. */
const ofRows = /\.csv$|^sandbox\b|^\.sluice\/(?:sandbox|staging)\/|^\.sluice\/(?:state|inbox)\.db/;
const ofSecrets = /^[a-z]+\.yaml$|^\.env$/;

/** Keeps every file of a project folder as evidence. */
export async function keepFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (ofSecrets.test(name)) continue;
    // Read as bytes, because a database is not text. A file may disappear meanwhile.
    const text = await readFile(path, "latin1").catch(() => "");
    await keepEvidence({ what: name, text, mayHold: ofRows.test(name) ? ["cell"] : [] });
  }
}
