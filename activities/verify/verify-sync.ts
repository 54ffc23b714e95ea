import type { Source } from "../../connectors/contract/connector.ts";
import { assertSameAccount, holderOf } from "../../connectors/identities.ts";
import { checkColumns, connectorOf, readRequestOf } from "../../connectors/source.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import { ConfigError } from "../../src/errors.ts";
import { pageRowsMax } from "../../src/limits.ts";
import { loadMapping } from "../../src/mapping/load.ts";
import { writeLines } from "../../src/pipeline/lines.ts";
import type { RecordPage } from "../../src/pipeline/page.ts";
import {
  readsNewestFirst,
  rejectOlder,
  rejectsDuplicates,
} from "../../src/pipeline/rejects-duplicates.ts";
import { rejectMaker } from "../../src/pipeline/rejects.ts";
import { assertMaySend } from "../../src/service/key-limits.ts";
import { currentKey } from "../../src/service/rotating-key.ts";
import { isWorthTelling, verifyReport } from "../../src/verify/report.ts";
import { assertVerifiable, verifyRecords } from "../../src/verify/verify.ts";
import { attempt } from "../attempt.ts";
import { isoNow, syncOf, type Dependencies } from "../dependencies.ts";
import type { SyncVerified, VerifyInput } from "./inputs.ts";

/** All records that a source gives now, as the mapping makes them. */
async function* recordsOf(
  source: Source,
  sync: SyncConfig,
  signal: AbortSignal,
): AsyncGenerator<RecordPage> {
  const { stream, pii } = sync;
  const mapping = await loadMapping(sync);
  const makeReject = rejectMaker(stream, pii.rejects);
  const rows = source.read({ ...readRequestOf(sync, signal), pageRowsMax });
  const lines = writeLines(rows, { mapping, stream, keepRows: pii.rejects, makeReject });
  yield* readsNewestFirst(source, sync) ? rejectOlder(lines, makeReject) : lines;
}

/**
 * Looks up a sample of what a sync has sent. Returns counts only: keys and values stay here. Must not be retried: each
 * call has cost.
 */
export function createVerifySync(
  deps: Dependencies,
): (input: VerifyInput) => Promise<SyncVerified> {
  return async ({ sync: name, seed }) =>
    await attempt(async ({ signal, progress }) => {
      const { state, target, config } = deps;
      const sync = syncOf(deps, name);
      const { verify } = sync;
      if (verify === undefined) {
        throw new ConfigError(`sync ${name} has no \`verify:\` any more`, {
          field: `syncs.${name}.verify`,
          hint: "`sluice schedule apply` takes its schedule away",
        });
      }
      assertVerifiable(sync);
      const source = connectorOf(deps, sync.connector);
      await checkColumns(source, sync, { signal, mayName: false });
      const holder = holderOf(deps, { kind: "sync", name, at: isoNow(deps) });
      await assertSameAccount(holder, config.api, { isFresh: false, isKept: false });
      const key = await currentKey(config.api);
      await assertMaySend(state, key, { ...deps.clock(), family: "search" });
      const choice = { size: verify.sample, seed };
      const { stream } = sync;
      const pages = recordsOf(source, sync, signal);
      const found = await verifyRecords(
        { sync: name, stream, choice, callsMax: verify.callsMax, pages },
        {
          api: deps.api,
          rejectsDuplicates: rejectsDuplicates(source, sync),
          knownOf: async (keys) => await state.knownRecords({ target, sync: name, keys }),
          now: () => deps.now(),
          signal,
          progress: (done) => progress({ done }),
          announce: (_, calls) => deps.log.info({ sync: name, calls }, "verification begins"),
        },
      );
      signal.throwIfAborted();
      const report = verifyReport(name, choice, found);
      const isTold = isWorthTelling(report);
      const receivers = config.notify.filter(({ on }) => isTold || on === "always");
      return { report, targets: [...new Set(receivers.map(({ target: named }) => named))] };
    });
}
