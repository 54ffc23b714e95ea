import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { z } from "zod";

import { canaries, canariesIn, evidenceVariable } from "./canaries.ts";

const evidenceFile = z.object({
  what: z.string(),
  text: z.string(),
  mayHold: z.array(z.string()).default([]),
});

let folder = "";

/** Before the suite: makes a folder for everything its programs print, store and send to Temporal. */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "sluice-evidence-"));
  process.env[evidenceVariable] = folder;
}

/** After the suite: searches all of it for secrets and rows (P18, T11). @throws {Error} a secret or a row was found. */
export async function teardown(): Promise<void> {
  // A search that finds nothing proves something only if it finds planted secrets.
  const planted = Object.values(canaries);
  if (canariesIn(planted.join()).length !== planted.length) throw new Error("the search is blind");
  const names = await readdir(folder);
  const found: string[] = [];
  for (const name of names) {
    const { what, text, mayHold } = evidenceFile.parse(
      JSON.parse(await readFile(join(folder, name), "utf8")),
    );
    const leaked = canariesIn(text).filter((kind) => !mayHold.includes(kind));
    if (leaked.length > 0) found.push(`${what}: ${leaked.join(", ")}`);
  }
  await rm(folder, { recursive: true });
  if (names.length === 0) return;
  process.stderr.write(
    `secrets and rows: searched ${names.length} outputs, found ${found.length}\n`,
  );
  if (found.length === 0) return;
  throw new Error(`secrets or rows leaked:\n${found.join("\n")}`);
}
