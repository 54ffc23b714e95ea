import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

import { parse } from "csv-parse";

import { oracleParseOptions, oracleRecord, type OracleRecord } from "./accounts.ts";

/** A row of accounts.csv, its columns in order. */
type AccountRow = Readonly<Record<string, string>>;

/** Why the records of a night are sent, as in a report. */
export type NightChanges = {
  readonly new: number;
  readonly changed: number;
  readonly fields: Readonly<Record<string, number>>;
};

/** The row in the second night; undefined if it is gone. */
function editOf(row: AccountRow, index: number): AccountRow | undefined {
  if (index % 997 === 1) return undefined;
  return {
    ...row,
    ...(index % 4 === 0 ? { employees: String(Number(row["employees"] ?? 0) + 1) } : {}),
    ...(index % 10 === 0 ? { name: `${row["name"]} II` } : {}),
    ...(index % 33 === 0 ? { city: "" } : {}),
    ...(index % 50 === 0 ? { funding_stage: row["funding_stage"] === "" ? "Seed" : "" } : {}),
    ...(index % 101 === 0 ? { domain: `new-${row["domain"]}` } : {}),
  };
}

function cellOf(value: string): string {
  return `"${value.replaceAll('"', '""')}"`;
}

function fieldsOf({ domain, account_properties: properties }: OracleRecord): Map<string, unknown> {
  const paths = Object.entries(properties).map(([name, value]) => {
    return [`account_properties.${name}`, value] as const;
  });
  return new Map<string, unknown>([["domain", domain], ...paths]);
}

/**
 * Writes the source of accounts as it is the night after, and counts why its records are sent: compares each pair of
 * records field by field, as the oracle makes them.
 */
export async function writeSecondNight(csv: string, to: string): Promise<NightChanges> {
  const out = createWriteStream(to);
  const fields: Record<string, number> = {};
  let [changed, added, index] = [0, 0, 0];
  const rows: AsyncIterable<AccountRow> = createReadStream(csv).pipe(parse(oracleParseOptions));
  const write = async (row: AccountRow): Promise<void> => {
    if (out.write(`${Object.values(row).map(cellOf).join(",")}\n`)) return;
    await once(out, "drain");
  };
  for await (const row of rows) {
    if (index === 0) out.write(`${Object.keys(row).join(",")}\n`);
    const now = editOf(row, index);
    if (now !== undefined) {
      const [is, was] = [fieldsOf(oracleRecord(now)), fieldsOf(oracleRecord(row))];
      const differing = [...new Set([...is.keys(), ...was.keys()])].filter(
        (path) => is.get(path) !== was.get(path),
      );
      if (differing.length > 0) changed += 1;
      for (const path of differing) fields[path] = (fields[path] ?? 0) + 1;
      await write(now);
    }
    if (index % 41 === 0) {
      added += 1;
      await write({ ...row, id: `new-${row["id"]}` });
    }
    index += 1;
  }
  out.end();
  await finished(out);
  return { new: added, changed, fields };
}
