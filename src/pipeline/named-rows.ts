import type { SourceRequest, SourceToPlan } from "../backfill/source.ts";
import { ConfigError } from "../errors.ts";
import { pageRowsMax } from "../limits.ts";
import type { RowPage } from "./page.ts";

const gone =
  "there is no such row; it is named by its key, in a file by `path:line`, in an inbox by `connection#number`";

/**
 * The rows that were asked for by name, in pages whose positions count the names so far; missing rows are rejects.
 * @throws {ConfigError} the source cannot read single rows.
 */
export async function* namedRows(
  source: Pick<SourceToPlan, "get" | "name" | "push">,
  {
    names,
    after = 0,
    ...request
  }: SourceRequest & {
    readonly names: readonly string[];
    /** Number of names to skip. */
    readonly after?: number | undefined;
  },
): AsyncGenerator<RowPage> {
  if (source.get === undefined) {
    throw new ConfigError(`a connection of ${source.name} cannot read single rows by their keys`, {
      field: "keys",
      hint: "leave the keys out",
    });
  }
  // Whoever posts decides how large an event is: two of the largest may not fit into memory.
  const atOnce = source.push === undefined ? pageRowsMax : 1;
  for (let at = after; at < names.length; at += atOnce) {
    const ofPage = names.slice(at, at + atOnce);
    const got = await source.get({ ...request, from: undefined, to: undefined, names: ofPage });
    request.signal.throwIfAborted();
    const missing = got.missing.map((where) => ({ where, code: "row_gone", reason: gone }));
    const rejects = [...(got.rejects ?? []), ...missing];
    yield { ...got, rejects, position: at + ofPage.length };
  }
}
