import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { z } from "zod";

import type { ExternalName } from "../../src/config/external.ts";
import { membersOf } from "../../src/config/schema/members.ts";
import { messageOf, SluiceError } from "../../src/errors.ts";
import { mappingErrorCharsMax } from "../../src/mapping/limits.ts";
import { Secret } from "../../src/security/secret.ts";
import type { Page, Row, Source } from "../contract/connector.ts";
import { ConnectorFault } from "../contract/fault.ts";
import type { PushSource } from "../contract/push.ts";
import type { FoundModule } from "./find.ts";

/** Where a connector comes from. */
export type Origin = { readonly named: ExternalName; readonly found: FoundModule };

/** The same connector, but each ability says where in its code it failed; errors made for sluice stay as they are. */
export function withPlaces<Own extends PushSource | Source>(source: Own, origin: Origin): Own {
  const members = Object.entries(membersOf(source)).map(([name, member]): [string, unknown] => {
    return [name, placed(member, source, origin)];
  });
  return Object.assign({ ...source }, Object.fromEntries(members));
}

/** A member of a connector; an ability throws its errors as `faultFrom` gives them. */
function placed(member: unknown, own: object, origin: Origin): unknown {
  if (typeof member !== "function") return member;
  return (...given: readonly unknown[]): unknown => {
    const rethrow = (error: unknown): never => {
      throw faultFrom(error, { origin, given });
    };
    try {
      const result: unknown = Reflect.apply(member, own, given);
      if (isPages(result)) return placedPages(result, rethrow);
      return result instanceof Promise ? result.catch(rethrow) : result;
    } catch (error) {
      return rethrow(error);
    }
  };
}

async function* placedPages(
  pages: AsyncIterable<Page<Row, unknown>>,
  rethrow: (error: unknown) => never,
): AsyncGenerator<Page<Row, unknown>> {
  const named = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      return rethrow(error);
    }
  };
  try {
    for await (const page of pages) {
      // Where there are cells, rows are made only when asked for; a list without them may be filled again.
      let rows: readonly Row[] | undefined = page.cells === undefined ? [...page.rows] : undefined;
      yield {
        get rows() {
          rows ??= named(() => page.rows);
          return rows;
        },
        cells: page.cells,
        position: page.position,
        rejects: page.rejects,
        mayComeAgain: page.mayComeAgain,
        heapBytes: page.heapBytes,
        where: (index) => named(() => page.where(index)),
        text:
          page.text === undefined ? undefined : (index) => named(() => page.text?.(index) ?? ""),
      };
    }
  } catch (error) {
    rethrow(error);
  }
}

function isPages(result: unknown): result is AsyncIterable<Page<Row, unknown>> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}

/** A connector's error, as a person sees it. */
function faultFrom(
  error: unknown,
  { origin, given }: { readonly origin: Origin; readonly given: readonly unknown[] },
): unknown {
  const { signal, config } = membersOf(given[0]);
  const isAborted = signal instanceof AbortSignal && signal.aborted;
  if (isAborted || error instanceof SluiceError || error instanceof ConnectorFault) return error;
  const { place, said } = placedFault(error, origin);
  const name = error instanceof Error ? error.name : "Error";
  const hidden = secretsIn(config).reduce((text, secret) => {
    return text.replaceAll(secret.reveal(), String(secret));
  }, said);
  return new ConnectorFault(origin.named.connector, { place, name, said: hidden });
}

function secretsIn(value: unknown): readonly Secret[] {
  if (value instanceof Secret) return [value];
  return Object.values(membersOf(value)).flatMap(secretsIn);
}

/**
 * Where it went wrong and the first line of its message, without the text that was not JSON, which may be a customer's.
 */
export function placedFault(
  error: unknown,
  origin: Origin,
): { readonly place: string; readonly said: string } {
  const [first = ""] = (issueOf(error) ?? messageOf(error))
    .replace(/, (?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON$/, ": it is not valid JSON")
    .split("\n");
  const said = first.slice(0, mappingErrorCharsMax).toWellFormed();
  return { place: placeOf(error, origin), said };
}

/** The first issue of an error from zod, with its member: the message itself is a list, which begins with a bracket. */
function issueOf(error: unknown): string | undefined {
  const { success, data } = issuesOfZod.safeParse(error);
  const [issue] = success ? data.issues : [];
  if (issue === undefined) return undefined;
  return [issue.path.join("."), issue.message].filter(Boolean).join(": ");
}

const issuesOfZod = z.object({
  issues: z.array(
    z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }),
  ),
});

/**
 * A place in a stack: `file:///a/b.ts:3:9` in parentheses or after "at", or what Node writes before the
 * stack, `/a/b.ts:3`.
 */
const frame =
  /(?:^|\(|at (?:async )?)(?<path>file:\/\/\/[^\s()]+?|\/[^()\n]+?):(?<line>\d+)(?::\d+)?\)?$/gm;

/** Where in the connector it went wrong, as far as the error shows: a line of it, or its file. */
function placeOf(error: unknown, { named, found }: Origin): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const root = dirname(found.file);
  const shown = (path: string): string => {
    const way = relative(named.folder, path);
    return way.startsWith("..") ? path : way;
  };
  for (const { groups } of stack.matchAll(frame)) {
    const { path = "", line = "" } = groups ?? {};
    const file = path.startsWith("file:") ? fileURLToPath(path) : path;
    const inside = file.startsWith(`${root}/`) ? file.slice(root.length) : "";
    if (inside !== "" && !inside.includes("/node_modules/")) return `${shown(file)}:${line}`;
  }
  return shown(found.file);
}
