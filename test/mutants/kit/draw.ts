import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

import { changed, type Change } from "./change.ts";
import { operatorChanges } from "./operator-changes.ts";
import { sqlChanges } from "./sql-changes.ts";
import { structureChanges } from "./structure-changes.ts";
import { readCode } from "./tokens.ts";

/** A connector with one mistake. */
export type KitMutant = {
  readonly connector: string;
  /** Path from the root of the project. */
  readonly file: string;
  readonly line: number;
  readonly change: Change;
  /** The whole file. */
  readonly text: string;
  /** The code that is left out or replaced, and its replacement. */
  readonly was: string;
  readonly is: string;
};

/** Files that do not handle rows: `ddl.ts` prints the statement that makes a table, for people. */
const leftOut: ReadonlySet<string> = new Set(["connectors/postgres/sql/ddl.ts"]);

/** The number of mutants for a connector, and more than enough candidates in the order in which to take them. */
export type Draw = {
  readonly connector: string;
  readonly count: number;
  readonly candidates: readonly KitMutant[];
};

/** The settings of a draw. */
export type DrawRequest = {
  readonly connectors: readonly string[];
  readonly count: number;
  readonly seed: number;
};

/**
 * Draws mutants of connectors below a folder, in proportion to their code. The same code and seed give the same
 * mutants; those that do not parse, and those that differ only in types, are left out.
 */
export async function drawMutants(
  root: string,
  { connectors, count, seed }: DrawRequest,
): Promise<readonly Draw[]> {
  const read = await Promise.all(
    connectors.map(async (connector) => ({ connector, files: await filesOf(root, connector) })),
  );
  const tokens = read.map(({ files }) =>
    files.reduce((sum, { code }) => sum + code.tokens.length, 0),
  );
  const counts = inProportion(count, tokens);
  return read.map(({ connector, files }, index) => {
    const ofConnector = counts[index] ?? 0;
    const sites = files.flatMap((file) => sitesOf(file, seed));
    const drawn = sites.toSorted((a, b) => (a.order < b.order ? -1 : 1));
    const candidates: KitMutant[] = [];
    for (const { file, changes } of drawn) {
      if (candidates.length >= spareFactor * (ofConnector + 1)) break;
      const mutant = changes.map((change) => mutantOf(connector, file, change)).find(isMutant);
      if (mutant !== undefined) candidates.push(mutant);
    }
    return { connector, count: ofConnector, candidates };
  });
}

/** Many candidates do not compile. */
const spareFactor = 4;

type File = { readonly file: string; readonly code: ReturnType<typeof readCode> };

async function filesOf(root: string, connector: string): Promise<readonly File[]> {
  const files = await pathsOf(root, connector);
  return await Promise.all(
    files
      .filter((file) => !leftOut.has(file))
      .map(async (file) => ({ file, code: readCode(await readFile(join(root, file), "utf8")) })),
  );
}

/** Shared folders that connectors use besides their own. */
const roomsOf: Readonly<Record<string, readonly string[]>> = { http: ["paging"] };

/** All files of a connector: `connectors/csv/**`. */
async function pathsOf(root: string, connector: string): Promise<readonly string[]> {
  const folders = [connector, ...(roomsOf[connector] ?? [])];
  const paths = await Promise.all(
    folders.map(async (name) => {
      const names = await readdir(join(root, "connectors", name), { recursive: true });
      return names.map((file) => join("connectors", name, file));
    }),
  );
  return paths
    .flat()
    .filter((path) => path.endsWith(".ts"))
    .toSorted();
}

/** A place in a file with the possible changes of one kind, and its own position in the overall order. */
type Site = { readonly file: File; readonly changes: readonly Change[]; readonly order: string };

function sitesOf(file: File, seed: number): readonly Site[] {
  const { code } = file;
  const all = [...operatorChanges(code), ...structureChanges(code), ...sqlChanges(code)];
  const orderOf = (what: string): string =>
    createHash("sha256").update(`${seed} ${file.file} ${what}`).digest("hex");
  const sites = Map.groupBy(all, ({ kind, start }) => `${kind} ${start}`);
  return [...sites].map(([site, changes]) => {
    const replaced = changes.map((change) => ({
      change,
      order: orderOf(`${site} ${change.replacement}`),
    }));
    const inOrder = replaced.toSorted((a, b) => (a.order < b.order ? -1 : 1));
    return { file, order: orderOf(site), changes: inOrder.map(({ change }) => change) };
  });
}

const shownCharsMax = 70;

function mutantOf(connector: string, { file, code }: File, change: Change): KitMutant | undefined {
  const text = changed(code.text, change);
  if (!isOther(code.text, text)) return undefined;
  const line = code.text.slice(0, change.start).split("\n").length;
  const begin = code.text.lastIndexOf("\n", change.start - 1) + 1;
  const newline = code.text.indexOf("\n", change.start);
  const end = Math.max(change.end, newline);
  const whole = code.text.slice(change.start, change.end);
  const isShort = whole.length <= 3;
  // An operator alone says nothing: it is shown with its line.
  const was = isShort ? code.text.slice(begin, end) : whole;
  const is = isShort
    ? `${code.text.slice(begin, change.start)}${change.replacement}${code.text.slice(change.end, end)}`
    : change.replacement;
  return { connector, file, line, change, text, was: shown(was), is: shown(is) };
}

function isMutant(mutant: KitMutant | undefined): mutant is KitMutant {
  return mutant !== undefined;
}

/** Whether the running code differs, and can run at all. */
function isOther(one: string, other: string): boolean {
  try {
    return strippedOf(one) !== strippedOf(other);
  } catch {
    return false;
  }
}

function strippedOf(text: string): string {
  return stripTypeScriptTypes(text).replaceAll(/\s+/g, " ");
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= shownCharsMax ? line : `${line.slice(0, shownCharsMax)}…`;
}

/** Whole numbers that add up to `count` and are as close as possible to their shares of it. */
export function inProportion(count: number, weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = weights.map((weight) => (count * weight) / total);
  const whole = shares.map(Math.floor);
  const left = count - whole.reduce((sum, one) => sum + one, 0);
  const byRest = shares
    .map((share, index) => ({ index, rest: share - Math.floor(share) }))
    .toSorted((a, b) => b.rest - a.rest);
  const more = new Set(byRest.slice(0, left).map(({ index }) => index));
  return whole.map((one, index) => (more.has(index) ? one + 1 : one));
}
