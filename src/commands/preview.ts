import { askOf, checkColumns, connectorOf } from "../../activities/source.ts";
import { sources } from "../../connectors/registry.ts";
import { pageRowsMax } from "../limits.ts";
import { loadMapping } from "../mapping/load.ts";
import { mapRows } from "../pipeline/map.ts";
import { rejectMaker } from "../pipeline/rejects.ts";
import { validateRecords } from "../pipeline/validate.ts";
import { plainJson, plainText } from "../plain-text.ts";
import { validateRecord } from "../records/validate-record.ts";
import { configOf, withGlobals } from "./context.ts";
import type { GlobalOptions, Register } from "./context.ts";
import { exitCodes } from "./exit-code.ts";
import { positive, syncNamed } from "./run.ts";

type PreviewOptions = GlobalOptions & { readonly rows: number };

/** `sluice preview <sync>`. */
export const registerPreview: Register = (program, context) => {
  withGlobals(program.command("preview <sync>"))
    .description("show the first records as they would be sent; nothing is sent or stored")
    .option("-n, --rows <rows>", "how many rows to read", positive, 5)
    .action(async (name: string, options: PreviewOptions) => {
      const sync = syncNamed(await configOf(context, options), name);
      const aborting = new AbortController();
      const source = connectorOf({ sources }, sync.connector);
      await checkColumns(source, sync, { signal: aborting.signal, mayName: true });
      const { stream, pii } = sync;
      const makeReject = rejectMaker(stream, pii.rejects);
      const rows = Math.min(options.rows, pageRowsMax);
      const read = source.read({ ...askOf(sync, aborting.signal), pageRowsMax: rows, limit: rows });
      const mapping = await loadMapping(sync);
      const mapped = mapRows(read, mapping, { stream, keepRows: pii.rejects, makeReject });
      let left = options.rows;
      for await (const page of validateRecords(mapped, validateRecord(stream), makeReject)) {
        for (const { record, index } of page.candidates) {
          const place = page.source.where(index);
          context.print(plainJson(options.json ? { place, record } : record));
        }
        for (const { place, code, reason, field } of page.rejects) {
          if (options.json) context.print(plainJson({ place, reject: { code, field, reason } }));
          else
            context.say(
              `${plainText(place)}: rejected: ${field === undefined ? "" : `${field} `}${plainText(reason)}`,
            );
          context.exit(exitCodes.doneWithRejects);
        }
        left -= page.read;
        if (left <= 0) break;
      }
    });
};
