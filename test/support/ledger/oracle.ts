import { canonicalJson, type OracleRow, type Verdict } from "./facts.ts";

/** How big a source is. */
export type SourceSize = {
  readonly files: number;
  readonly rowsPerFile: number;
  /** One row in this many is of each special kind; at least 8. @default 8 */
  readonly every?: number;
  /** What becomes of ordinary rows, those of no special kind. @default "accept" */
  readonly others?: "accept" | "filtered";
  /** Characters in the name of a row that should be accepted. @default 21 */
  readonly nameChars?: number;
  /** The name of a row that should be accepted, instead of one of `nameChars`; it may hold quotes and line feeds. */
  readonly nameOf?: (key: string) => string;
};

/**
 * A source of CSV files in two states: as a first run finds it, and as it is afterwards, with what then becomes of each
 * row.
 */
export type OracleSource = {
  /** The text of each file, by name; the names match `accounts-*.csv`. */
  readonly before: Readonly<Record<string, string>>;
  readonly now: Readonly<Record<string, string>>;
  readonly oracle: readonly OracleRow[];
};

/** A module for `record:`: a row whose status is `closed` is filtered. */
export const mappingModule = `export function mapRecord(row) {
  if (row.status === "closed") return null;
  return { account_id: row.id, domain: row.domain, account_properties: { name: row.name } };
}
`;

/** Header of every file. */
const header = "id,domain,name,status";

/** The key that every file repeats. The row of the newest file, which is read first, wins. */
const repeatedKey = "a0-0";

/** Kinds of rows, by their index in a stretch. */
const [filteredKind, lastKind] = [3, 7];

/** A row as text, and what should become of it; `before` is the row that the first run found. */
type Planned = {
  readonly key: string;
  readonly text: string;
  readonly verdict: Verdict;
  readonly before?: string;
};

type Fields = { readonly key: string; readonly name: string };

function lineOf({ key, name }: Fields, status = "open"): string {
  return `${key},c-${key}.example,"${name.replaceAll('"', '""')}",${status}`;
}

function recordOf({ key, name }: Fields): string {
  const properties = { account_properties: { name } };
  return canonicalJson({
    type: "account",
    account_id: key,
    domain: `c-${key}.example`,
    ...properties,
  });
}

function rejected(code: string): Verdict {
  return { kind: "reject", code };
}

/**
 * Plans a row; every stretch of `every` rows has one of each special kind. One key is repeated: `isFirst` says whether
 * this row of it is the first to be read.
 */
function planRow(
  at: { readonly file: number; readonly row: number; readonly isFirst: (key: string) => boolean },
  { every = 8, others = "accept", nameChars = 21, nameOf }: SourceSize,
): Planned {
  const key = `a${at.file}-${at.row}`;
  const fields = { key, name: `name of ${key}` };
  const padded = { key, name: nameOf?.(key) ?? fields.name.padEnd(nameChars, "x") };
  const accepted = { kind: "accept", record: recordOf(padded) } as const;
  const verdictOf = (row: Fields): Verdict =>
    at.isFirst(row.key) ? { kind: "accept", record: recordOf(row) } : rejected("duplicate_key");
  const kind = at.row % every;
  switch (kind > lastKind && others === "filtered" ? filteredKind : kind) {
    case 1:
      return { key, text: lineOf(padded), verdict: accepted, before: lineOf(fields) };
    case 2: {
      const unchanged = { kind: "unchanged", record: recordOf(fields) } as const;
      return { key, text: lineOf(fields), verdict: unchanged, before: lineOf(fields) };
    }
    case filteredKind:
      return { key, text: lineOf(fields, "closed"), verdict: { kind: "filtered" } };
    case 4:
      return { key, text: `${key},too few fields`, verdict: rejected("ragged_row") };
    case 5: {
      const repeated = { ...padded, key: repeatedKey };
      return { key: repeatedKey, text: lineOf(repeated), verdict: verdictOf(repeated) };
    }
    case 6:
      return { key, text: `${key},,no domain,open`, verdict: rejected("required") };
    case lastKind: {
      // A row of two lines: places count lines, not rows.
      const twoLines = { key, name: `${padded.name}\nsecond line` };
      const verdict = { kind: "accept", record: recordOf(twoLines) } as const;
      return { key, text: lineOf(twoLines), verdict };
    }
    default:
      return { key, text: lineOf(padded), verdict: verdictOf(padded) };
  }
}

/**
 * Makes a source that holds every kind of row: new, changed, unchanged, filtered, unreadable, invalid, a repeated key.
 * Its oracle is in the order in which the files are read: the last one first.
 */
export function oracleSource(size: SourceSize): OracleSource {
  const before: Record<string, string> = {};
  const now: Record<string, string> = {};
  const oracle: OracleRow[] = [];
  const seen = new Set<string>();
  const isFirst = (key: string): boolean => seen.size < seen.add(key).size;
  for (let file = size.files - 1; file >= 0; file--) {
    const name = `accounts-${String(file).padStart(3, "0")}.csv`;
    const [linesBefore, linesNow] = [[header], [header]];
    let line = 2;
    for (let row = 0; row < size.rowsPerFile; row++) {
      const planned = planRow({ file, row, isFirst }, size);
      linesNow.push(planned.text);
      if (planned.before !== undefined) linesBefore.push(planned.before);
      oracle.push({ key: planned.key, place: `${name}:${line}`, verdict: planned.verdict });
      line += planned.text.split("\n").length;
    }
    before[name] = `${linesBefore.join("\n")}\n`;
    now[name] = `${linesNow.join("\n")}\n`;
  }
  return { before, now, oracle };
}
