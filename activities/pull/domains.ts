import type { Row, Page } from "../../connectors/contract/connector.ts";
import { readRequestOf, connectorOf } from "../../connectors/source.ts";
import { faultTimesMax } from "../../src/api/limits.ts";
import type { PullConfig } from "../../src/config/schema/pull.ts";
import { ConfigError, RetryLater, SourceChangedError } from "../../src/errors.ts";
import { pageRowsMax, pullDomainsMax } from "../../src/limits.ts";
import { domainOf, domainText } from "../../src/mapping/domain.ts";
import { columnReader } from "../../src/mapping/read-column.ts";
import { CoercionRefusal } from "../../src/mapping/refusal.ts";
import { sourceRejects } from "../../src/pipeline/rejects.ts";
import type { RejectEntry } from "../../src/state/contract/rejects/rejects.ts";
import { attempt } from "../attempt.ts";
import { isoNow, pullOf, runOf, type Dependencies } from "../dependencies.ts";
import type { RunRef } from "../inputs.ts";
import { assertFewRejects } from "./few-rejects.ts";
import { resultReject } from "./patches.ts";

type DomainSource = NonNullable<PullConfig["domainsFrom"]>;

/** The domains of a page. A row without one is skipped; a value that is not a domain is a reject. */
function domainsOf(
  page: Page<Row, unknown>,
  column: string,
): { readonly domains: readonly string[]; readonly rejects: readonly RejectEntry[] } {
  const domains: string[] = [];
  const rejects = sourceRejects(page, "job_postings", "keep");
  const cellOf = columnReader(column);
  for (const [index, row] of page.rows.entries()) {
    const text = domainText(cellOf(row));
    if (text === undefined) continue;
    const domain = domainOf(text);
    if (!(domain instanceof CoercionRefusal)) domains.push(domain);
    else {
      const { code, reason } = domain;
      const fault = {
        place: page.where(index),
        step: "read",
        code,
        reason,
        field: column,
      } as const;
      rejects.push(resultReject("job_postings", { ...fault, row: JSON.stringify(text) }));
    }
  }
  return { domains, rejects };
}

/** @throws {ConfigError} the source does not have the column. */
async function assertColumn(
  deps: Dependencies,
  pull: PullConfig,
  signal: AbortSignal,
): Promise<DomainSource> {
  const { domainsFrom, name } = pull;
  const field = `pulls.${name}.job_postings.domains_from`;
  if (domainsFrom === undefined) throw new ConfigError(`pull ${name} has no domains`, { field });
  const source = connectorOf(deps, domainsFrom.connector);
  const columns = await source.columns?.(readRequestOf(domainsFrom, signal));
  if (columns === undefined || columns.includes(domainsFrom.column)) return domainsFrom;
  throw new ConfigError(
    `pull ${name} reads its domains from the column "${domainsFrom.column}", which connection ` +
      `${domainsFrom.connection} does not have`,
    {
      field: `${field}.column`,
      hint: `\`sluice discover ${domainsFrom.connection}\` shows which columns there are`,
    },
  );
}

/**
 * The pages of the source. One that changes while it is read is read again, three times in all.
 * @throws {RetryLater} it changed. @throws {SourceChangedError} for the third time.
 */
async function* rereading<Each>(
  { state, clock }: Pick<Dependencies, "clock" | "state">,
  runId: string,
  pages: AsyncIterable<Each>,
): AsyncGenerator<Each> {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
    const fault = { runId, chunk: 0, fault: error.code, now: clock() };
    if ((await state.countFault(fault)).times >= faultTimesMax) throw error;
    throw new RetryLater(error.message, { cause: error });
  }
}

/**
 * Lists the domains of a round: reads the whole source, turns its rows into domains, and keeps each once. Twice is
 * once: an unfinished list is begun anew, a finished one stays as it is.
 */
export function createListDomains(deps: Dependencies): (input: RunRef) => Promise<object> {
  return async (ref) =>
    await attempt(async ({ signal, progress }) => {
      const { state } = deps;
      const { runId, target, sync } = await runOf(deps, ref);
      const pull = pullOf(deps, sync);
      const name = { target, pull: sync, runId };
      if ((await state.pullPlace(name))?.isListed === true) return {};
      const from = await assertColumn(deps, pull, signal);
      const source = connectorOf(deps, from.connector);
      const step = { ...name, version: await state.beginListing(name) };
      const all = { refused: 0, read: 0, listed: 0 };
      const pages = source.read({ ...readRequestOf(from, signal), pageRowsMax });
      for await (const page of rereading(deps, runId, pages)) {
        signal.throwIfAborted();
        const found = domainsOf(page, from.column);
        const added = { ...step, ...found, isLast: false, at: isoNow(deps) };
        all.listed = await state.addDomains(added);
        all.refused += found.rejects.length;
        all.read += page.rows.length + (page.rejects?.length ?? 0);
        assertFewRejects(pull, { ...all, what: "rows" });
        if (all.listed > pullDomainsMax) {
          throw new ConfigError(`pull ${sync} has more than ${pullDomainsMax} domains`, {
            field: `pulls.${sync}.job_postings.domains_from`,
            hint: "make several pulls, each of some of the rows",
          });
        }
        progress({ domains: all.listed });
      }
      if (all.read > 0 && all.listed + all.refused === 0) {
        // JSON has no columns to check, so nothing else would report a wrong name.
        const nowhere = `no row has anything in "${from.column}", so no domain is asked for`;
        const warnings = [`connection ${from.connection}: ${nowhere}`];
        await state.addWarnings({ runId, warnings });
      }
      const nothing = { domains: [], rejects: [] };
      await state.addDomains({ ...step, ...nothing, isLast: true, at: isoNow(deps) });
      return {};
    });
}
