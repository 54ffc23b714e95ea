import type { NoCells, Source } from "../../../../connectors/contract/connector.ts";
import { readRequestOf } from "../../../../connectors/source.ts";
import type { SyncConfig } from "../../../config/config.ts";
import type { Path } from "../../../config/document/document.ts";
import type { Places } from "../../../config/document/places.ts";
import { SluiceError } from "../../../errors.ts";
import { loadMapping } from "../../../mapping/load.ts";
import { sourceMsMax } from "../../limits.ts";

/** Processor time of staging rows as objects, compared with the same rows as bytes: measured, see docs/mapping.md. */
const timesAsLong = "1.6 to 2";

/** Something that a person may want to know about a sync, without anything being wrong. */
export type Note = {
  readonly subject: string;
  /** The place in `sluice.yaml` that causes it, with its line. */
  readonly place: string;
  readonly detail: string;
};

/**
 * Notes a sync whose rows are all mapped as objects, for a cause that a person can change. Says nothing about sources
 * whose rows are not bytes, nor where something else is wrong, which other findings say.
 */
export async function checkSpeed(
  source: Source,
  sync: SyncConfig,
  places: Places,
): Promise<readonly Note[]> {
  if (source.whyNoCells === undefined) return [];
  const signal = AbortSignal.timeout(sourceMsMax);
  try {
    const request = readRequestOf(sync, signal);
    const [noCells, { plan }] = await Promise.all([source.whyNoCells(request), loadMapping(sync)]);
    const causes = [
      ...(noCells === undefined ? [] : [{ ...noCells, paths: pathsOf(sync, noCells) }]),
      ...("because" in plan ? [{ ...plan, paths: [recordPath(sync, plan.at)] }] : []),
    ];
    const [first] = causes;
    if (first === undefined) return [];
    const because = causes.map((cause) => cause.because).join(", and ");
    const detail =
      `${because}, so each row takes ${timesAsLong} times the processor time ` +
      "that it would otherwise; see docs/mapping.md#speed";
    return [{ subject: `sync ${sync.name}`, place: places.of(...first.paths), detail }];
  } catch (error) {
    // A note is not worth waiting for.
    if (error instanceof SluiceError || signal.aborted) return [];
    throw error;
  }
}

function recordPath({ name }: SyncConfig, at: Path = []): Path {
  return ["syncs", name, "record", ...at];
}

/** The places of a connection's member: it may be in `from` instead; if it is in neither, `from` is the place. */
function pathsOf({ name, connection }: SyncConfig, { member }: NoCells): readonly Path[] {
  const from = ["syncs", name, "from"];
  return member === undefined
    ? [from]
    : [[...from, member], ["connections", connection, member], from];
}
