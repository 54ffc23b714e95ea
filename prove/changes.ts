import { join } from "node:path";

import { z } from "zod";

import type { Checked } from "../bench/bounds.ts";
import { run } from "../bench/child.ts";
import { say, spread } from "../bench/report.ts";
import { makeEmpty, stagingBySluice } from "../bench/rounds.ts";
import { makeRows } from "../bench/workloads/accounts.ts";
import { type NightChanges, writeSecondNight } from "../bench/workloads/second-night.ts";
import { ChangeCounts } from "../src/pipeline/change-counts.ts";
import { verdict } from "../src/state/contract/keys/fingerprints.ts";
import { changes } from "../src/state/contract/sends/changes.ts";
import { FieldChanges } from "../src/state/rules/keys/field-changes.ts";

/** The largest share of a night's staging that counting changes may take. */
const shareMax = 0.05;

/** Fields of the benchmark's records, in slots. */
const fieldBytes = 4 * 14;

const usage = z.object({ changes });

/** Stages a night as a worker does; returns its count of changes, and how long it took. */
async function stageNight(
  csv: string,
  folder: string,
): Promise<{ readonly counted: z.output<typeof changes>; readonly seconds: number }> {
  const args = stagingBySluice({ connector: "csv", members: { path: csv }, send: "changed" });
  const ended = await run([...args, "--folder", folder], folder);
  if (ended.code !== 0) throw new Error(`${args.join(" ")} ended with ${ended.code}`);
  return {
    counted: usage.parse(JSON.parse(ended.lastLine)).changes,
    seconds: ended.seconds,
  };
}

/** Counts `rows` verdicts and compares the fields of changed records, as a staging does; returns seconds. */
function countAlone(rows: number, { changed }: NightChanges): number {
  const verdicts = new Uint8Array(rows).fill(verdict.unchanged);
  const [had, has] = [new Uint8Array(fieldBytes).fill(1), new Uint8Array(fieldBytes).fill(1)];
  has[0] = 2;
  const every = Math.max(1, Math.floor(rows / changed));
  const began = performance.now();
  const [counts, fields] = [
    new ChangeCounts({ chunk: 1, stage: 1, tellsPlaces: true }),
    new FieldChanges(),
  ];
  for (let index = 0; index < rows; index += every) {
    verdicts[index] = verdict.changed;
    fields.compare(had, has, { index, isChanged: true });
  }
  counts.add(verdicts, () => "accounts.csv:2");
  for (const found of fields.all()) counts.addField(String(found.slot), found.changed);
  return (performance.now() - began) / 1_000;
}

/** Why the records of a second night are sent, against an oracle that compares both states field by field. */
export async function proveChanges(
  folder: string,
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
): Promise<readonly Checked[]> {
  say(`making two nights of ${rows.toLocaleString("en")} rows`);
  const first = await makeRows(folder, rows);
  const second = join(folder, "second.csv");
  const oracle = await writeSecondNight(first, second);
  const shares: number[] = [];
  let wrong = "";
  for (let round = 1; round <= rounds; round += 1) {
    const output = join(folder, "output");
    await makeEmpty(output);
    await stageNight(first, output);
    const { counted, seconds } = await stageNight(second, output);
    const { new: fresh, changed, unknown, again, fields } = counted;
    const found = { new: fresh, changed, unknown, again, fields: sorted(fields) };
    const wanted = { ...oracle, unknown: 0, again: 0, fields: sorted(oracle.fields) };
    if (textOf(found) !== textOf(wanted))
      wrong = `${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`;
    shares.push(countAlone(rows, oracle) / seconds);
    say(`round ${round} of ${rounds}: ${seconds.toFixed(1)} s`);
  }
  const { median, max } = spread(shares);
  const fields = Object.keys(oracle.fields).length;
  return [
    {
      what: "why the records of a second night are sent",
      bound: "equal to the oracle, which compares both states field by field",
      measured:
        wrong === ""
          ? `equal: ${oracle.changed.toLocaleString("en")} changed in ${fields} fields, ` +
            `${oracle.new.toLocaleString("en")} new`
          : wrong,
      holds: wrong === "",
    },
    {
      what: "the counting alone, of the staging of that night, round by round (median / max)",
      bound: `<= ${percent(shareMax)}`,
      measured: `${percent(median)} / ${percent(max)}`,
      holds: max <= shareMax,
    },
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

function sorted(fields: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function textOf(of: object): string {
  return JSON.stringify(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
