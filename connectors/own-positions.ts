import { externalName } from "../src/config/external.ts";
import { ConfigError } from "../src/errors.ts";
import { rowCount, type RowPage } from "../src/pipeline/page.ts";
import type { Source } from "./contract/connector.ts";

/**
 * Makes the check of the positions of a read, page by page, by what the next chunk is given of them: the same pages
 * would be sent for ever, or the chunk could not be read. It looks at connectors of one's own only: the built-in ones
 * have tests, and their speed counts.
 */
export function positionCheck(connector: string, source: Source): (page: RowPage) => void {
  if (!externalName.test(connector)) return () => {};
  const refuse = (what: string): never => {
    throw new ConfigError(`connector ${connector} gives a page a position that ${what}`, {
      hint: "`sluice connector test` shows which; give each page the position after its rows",
    });
  };
  let last: { readonly kept: string | undefined; readonly stays: boolean } | undefined;
  return (page) => {
    const kept = asKept(page.position);
    if (kept !== undefined && !source.position.safeParse(JSON.parse(kept)).success) {
      refuse("its schema does not take back from JSON, in which it is kept");
    }
    if (rowCount(page) + (page.rejects?.length ?? 0) === 0) return;
    // The last page may repeat a position: nothing is read after it.
    if (last?.stays === true) refuse("stays where it is while rows come");
    last = { kept, stays: last !== undefined && last.kept === kept };
  };
}

/** What is kept of a position; null of one that JSON cannot write. */
function asKept(position: unknown): string | undefined {
  try {
    return JSON.stringify(position);
  } catch {
    return "null";
  }
}
