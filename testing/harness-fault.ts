import type { Row, Source } from "../connectors/contract/connector.ts";
import type { PushSource } from "../connectors/contract/push.ts";
import { inTime } from "../src/clock.ts";
import type { Harness, HarnessRow, PullHarness } from "./harness.ts";
import { makeRows } from "./rows.ts";
import { issuesText, Subject } from "./subject.ts";

/** One mistake in the harness for which nearly every check would fail, and what to write there. */
export type HarnessFault = { readonly message: string; readonly hint: string };

/** How long to wait for the first rows: a check says what is wrong with a read that hangs. */
const waitMsMax = 5_000;

/**
 * Looks for a fault in the harness before any check is made: the connector must take its configuration, and, without
 * `rowOf`, a few rows must have the members `id` and `text`. Undefined when they do, or when that is uncertain, because
 * the checks then report it better.
 */
export async function harnessFaultOf(
  source: PushSource | Source,
  harness: Harness,
): Promise<HarnessFault | undefined> {
  const refused = configFaultOf(source, harness);
  if (refused !== undefined || source.kind === "push" || !("fill" in harness)) return refused;
  return await rowFaultOf(source, harness);
}

function configFaultOf(
  { config: schema }: PushSource | Source,
  { config }: Harness,
): HarnessFault | undefined {
  try {
    const { error } = schema.safeParse(config);
    if (error === undefined) return undefined;
    return {
      message: `the connector refuses the harness's config: ${issuesText(error)}`,
      hint: "give `config` of the harness the members of the connector's own `config`, and no others",
    };
  } catch {
    return undefined;
  }
}

async function rowFaultOf(source: Source, harness: PullHarness): Promise<HarnessFault | undefined> {
  if (harness.rowOf !== undefined) return undefined;
  const given = makeRows(3, { together: 1 });
  const stop = new AbortController();
  try {
    return await inTime(firstFault(new Subject(source, harness), given, stop.signal), waitMsMax);
  } catch {
    return undefined;
  } finally {
    stop.abort();
  }
}

async function firstFault(
  subject: Subject,
  given: readonly HarnessRow[],
  signal: AbortSignal,
): Promise<HarnessFault | undefined> {
  await subject.holds(given);
  for await (const page of subject.source.read({ ...subject.request(signal), pageRowsMax: 7 })) {
    const [row] = page.rows;
    if (row !== undefined) return faultOf(row, given);
  }
  return undefined;
}

function faultOf(row: Row, given: readonly HarnessRow[]): HarnessFault | undefined {
  const missing = (["id", "text"] as const).filter((member) => !(member in row));
  if (missing.length === 0) return undefined;
  const has = Object.keys(row).map((member) => `\`${member}\``);
  const shown = has.length === 0 ? "none at all" : has.slice(0, membersShown).join(", ");
  const members = (["id", "text", "changed"] as const).map((member) => {
    return `${member}: ${valueOf(member, row, given)}`;
  });
  return {
    message: `the rows have ${lacking(missing)}; they have ${shown}`,
    hint: `set rowOf: (row) => ({ ${members.join(", ")} }) in the harness`,
  };
}

function lacking([one, other]: readonly string[]): string {
  return other === undefined ? `no member \`${one}\`` : `neither \`${one}\` nor \`${other}\``;
}

const membersShown = 12;

/**
 * An expression for the value that the kit wrote as `member`: the member of the row that holds it, otherwise one for a
 * person to check.
 */
function valueOf(member: keyof HarnessRow, row: Row, given: readonly HarnessRow[]): string {
  const values = given.map((one) => one[member]);
  const names = Object.keys(row);
  const same = names.find((name) => values.includes(String(row[name])));
  if (same === undefined && member === "changed") return '""';
  const found = same ?? (member in row ? member : (names[0] ?? member));
  const isPlain = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(found);
  const access = isPlain ? `row.${found}` : `row[${JSON.stringify(found)}]`;
  return member === "text" ? `${access} == null ? null : String(${access})` : `String(${access})`;
}
