import { z } from "zod";

import { addressFault } from "../../api/http/address.ts";
import {
  chunkRowsReadMax,
  nameCharsMax,
  uploadBytesMax,
  chunkBytesDefault,
  chunkRecordsDefault,
  requestsPerSecondDefault,
} from "../../limits.ts";
import { recordMappingSchema } from "../../mapping/schema.ts";
import { streams } from "../../records/streams.ts";
import { modulePath } from "../document/named-files.ts";
import { secretFault } from "../document/secret-file.ts";
import {
  approveUpToDefault,
  lightweightPartsMaxDefault,
  lightweightPartsMaxHighest,
  stagingBytesHighest,
  stagingBytesMaxDefault,
} from "../limits.ts";
import { taskQueueDefault } from "../task-queue.ts";
import { holdIfSchema } from "./hold-if.ts";
import { notifySchema } from "./notify.ts";
import { pullSchema } from "./pull.ts";
import { rejectLimitSchema } from "./reject-limit.ts";
import { scheduleSchema } from "./schedule.ts";
import { storeSchema } from "./store.ts";
import { duration, size } from "./units.ts";
import { verifySchema } from "./verify.ts";

const nameMessage = `a name is a small letter and up to ${String(nameCharsMax - 1)} small letters, digits, "_" or "-"`;
const name = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*$/, nameMessage)
  .max(nameCharsMax, nameMessage);

const text = z.string().min(1);
const count = z.int().min(1);

/** An address of the service: "sandbox", or an absolute URL. */
const address = z.string().transform((value, context): URL | "sandbox" => {
  if (value === "sandbox") return value;
  const url = URL.parse(value);
  if (url !== null && url.search === "" && url.hash === "") return url;
  context.addIssue(
    'must be "sandbox" or an address such as https://api.example.com, without ? or #',
  );
  return z.NEVER;
});

type ApiInput = {
  readonly base_url: URL | "sandbox";
  readonly legacy_base_url?: URL | "sandbox" | undefined;
  readonly api_key?: string | undefined;
  readonly api_key_file?: string | undefined;
  readonly allow_insecure_hosts: readonly string[];
};

/** Reports mistakes between the members of `api`; any of them may also have mistakes of its own. */
function checkApi(api: Partial<ApiInput>, context: z.core.$RefinementCtx): void {
  const report = (path: string[], message: string): void => {
    context.addIssue({ code: "custom", path, message });
  };
  if (api.api_key !== undefined && api.api_key_file !== undefined) {
    report(["api_key_file"], "give api_key or api_key_file, not both");
  }
  if (api.api_key === undefined && api.api_key_file === undefined) {
    report([], "give api_key or api_key_file");
  }
  const hosts = Array.isArray(api.allow_insecure_hosts) ? api.allow_insecure_hosts.map(String) : [];
  for (const member of ["base_url", "legacy_base_url"] as const) {
    const url = api[member];
    const fault = url instanceof URL ? addressFault(url, { hosts, loopback: true }) : undefined;
    if (fault !== undefined)
      report([member], `${fault}: use https, or allow_insecure_hosts if that is meant`);
  }
}

const api = z
  .strictObject({
    base_url: address
      .prefault("sandbox")
      .describe('Address of the ingestion API; "sandbox" is the local one, started when needed.'),
    legacy_base_url: address
      .optional()
      .describe(
        'Address of the legacy API, needed for ping alone. "sandbox" counts only where base_url is the sandbox too.',
      ),
    api_key: z
      .string()
      .superRefine((value, context) => {
        const fault = secretFault(value);
        if (fault !== undefined) context.addIssue(fault);
      })
      .optional()
      .describe("The API key, best as ${SLUICE_API_KEY}. Either this or api_key_file."),
    api_key_file: text
      .optional()
      .describe("A file that holds the API key and nothing else. Either this or api_key."),
    account: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"')
      .prefault("main")
      .describe(
        "Names the account after the key, so that checkpoints outlive a change of the key.",
      ),
    requests_per_second: z
      .number()
      .positive()
      .prefault(requestsPerSecondDefault)
      .describe("Requests per second that all workers together may send."),
    allow_insecure_hosts: z
      .array(text)
      .prefault([])
      .describe("Hosts that may be reached over plain http or at a private address."),
    processing_time: duration()
      .prefault("10m")
      .describe(
        "How long the service may take to apply a file once its upload is confirmed; it does not say.",
      ),
    wait_behind_file: duration()
      .optional()
      .describe(
        "How long events wait after a file of the same stream, which the service may still be applying. Unset: " +
          "not at all.",
      ),
    credits_retry_after: duration()
      .prefault("24h")
      .describe("How long to wait before asking again once the credits are used up."),
  })
  .superRefine(checkApi, { when: ({ value }) => typeof value === "object" && value !== null })
  .describe("The service that records are sent to.");

const temporal = z
  .strictObject({
    task_queue: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must be 1 to 100 letters, digits, ".", "_" or "-"')
      .default(taskQueueDefault)
      .describe("The task queue; projects that share a Temporal server need one each."),
    search_attribute: z
      .boolean()
      .default(false)
      .describe(
        "Whether workflows carry the search attribute SluiceSync, which the server must know.",
      ),
  })
  .prefault({})
  .describe("How Temporal is used; TEMPORAL_ADDRESS and related variables say where it is.");

const advanced = z
  .strictObject({
    chunks_per_run: count
      .optional()
      .describe(
        "Chunks after which the workflow continues as new; unset, when Temporal suggests it.",
      ),
    heartbeat_timeout: duration()
      .prefault("30s")
      .describe("Silence after which an activity counts as dead and is tried elsewhere."),
    schedule_to_start: duration()
      .prefault("2m")
      .describe("How long an activity of one host waits to be taken there."),
    host_lost_after: duration()
      .prefault("60s")
      .describe(
        "Silence of a host's workers after which its staged files are made again elsewhere.",
      ),
    staging_max: size(stagingBytesHighest)
      .prefault(stagingBytesMaxDefault)
      .describe(
        "Disk that the files of one run with `hold_if` may take before the first of them leaves: 50GB.",
      ),
    retry_initial: duration().prefault("1s").describe("Time before the first retry."),
    retry_max: duration()
      .optional()
      .describe(
        "Longest time between two tries. A fault of the service or of staging is tried again " +
          "after a minute at most, whatever " +
          "is here; unset: 10 minutes for staging and uploads, 2 for a confirm, 100 seconds for the store.",
      ),
  })
  .prefault({})
  .describe("Timeouts and windows that hardly anyone needs to change.");

/** One connection; the members of its connector are not checked here. */
export const connectionSchema = z
  .looseObject({ connector: text.describe("The connector's name.") })
  .describe("A source; its further members are the connector's.");

/** Where a sync reads: a connection's name, alone or with members for its connector. */
export const fromSchema = z
  .union([text, z.looseObject({ connection: text.describe("The connection's name.") })])
  .describe(
    "The connection to read, or its name as `connection` and further members for its connector.",
  );

const sync = z
  .strictObject({
    from: fromSchema,
    stream: z.enum(streams).describe("The kind of record that is sent."),
    send: z
      .enum(["changed", "all"])
      .default("changed")
      .describe("Whether rows that were sent before, and are the same, are left out."),
    duplicate_keys: z
      .enum(["reject", "send"])
      .default("reject")
      .describe(
        "What becomes of a second row of the same key in one full read, with `send: changed`.",
      ),
    reject_limit: rejectLimitSchema,
    min_rows: z
      .int()
      .min(0)
      .default(0)
      .describe("A source with fewer rows fails the run, as it is most likely broken."),
    hold_if: holdIfSchema.optional(),
    record: z
      .union([z.string().regex(modulePath, "must end in .ts, .js or .mjs"), recordMappingSchema])
      .describe("Which column feeds which field, or the path of a module that exports mapRecord."),
    mode: z
      .enum(["auto", "lightweight", "heavyweight"])
      .default("auto")
      .describe("How records are sent; auto chooses by the size of the batch."),
    chunk: z
      .strictObject({
        records: count
          .max(chunkRowsReadMax)
          .default(chunkRecordsDefault)
          .describe("Records of a chunk."),
        bytes: size(uploadBytesMax).prefault(chunkBytesDefault).describe("Compressed size: 64MiB."),
        level: z
          .int()
          .min(1)
          .max(9)
          .default(1)
          .describe("Level of gzip: 1 is fastest, 9 smallest."),
      })
      .prefault({})
      .describe("Where a chunk ends. A small one bounds what a crash repeats."),
    lightweight: z
      .strictObject({
        parts_max: count
          .max(lightweightPartsMaxHighest)
          .default(lightweightPartsMaxDefault)
          .describe("Requests a batch may need before auto turns to heavyweight."),
      })
      .prefault({})
      .describe("Lightweight mode, which sends records in the request itself."),
    resend_after: duration()
      .optional()
      .describe("With `send: changed`: records sent longer ago than this are sent again."),
    pii: z
      .strictObject({
        rejects: z
          .enum(["keep", "drop", "hash"])
          .default("keep")
          .describe("What is kept of a rejected source row."),
      })
      .prefault({})
      .describe("What is kept of personal data."),
    approve: z
      .strictObject({
        auto_up_to: z
          .int()
          .min(0)
          .default(approveUpToDefault)
          .describe("Rows up to which a backfill continues by itself; 0 asks always."),
      })
      .prefault({})
      .describe("When a backfill needs a person's consent."),
    schedule: scheduleSchema.optional(),
    verify: verifySchema.optional(),
    allow_feedback_loop: z
      .boolean()
      .default(false)
      .describe(
        "Whether it may read columns that a pull writes: the service's own values go back to it.",
      ),
  })
  .describe("A transfer from a connection into a stream.");

/** Everything a `sluice.yaml` may hold, except the members that belong to connectors. */
export const configSchema = z.strictObject({
  version: z.literal(1).describe("The version of this format."),
  api,
  state: text
    .refine((value) => !/^[a-z]+:\/\//i.test(value), "must be a folder")
    .default(".sluice")
    .describe("Folder of the state store and of staged files; SLUICE_STATE_DIR wins over it."),
  store: storeSchema.optional(),
  temporal,
  connections: z.record(name, connectionSchema).describe("Sources by name."),
  syncs: z.record(name, sync).describe("Transfers by name."),
  pulls: z
    .record(name, pullSchema)
    .default({})
    .describe("What comes back from the service, by name; none may be called as a sync is."),
  notify: notifySchema,
  advanced,
});

/** A checked `sluice.yaml`, in its own spelling. */
export type ConfigMembers = z.output<typeof configSchema>;
