import { z } from "zod";

import type { Moment } from "../../../clock.ts";
import { ranges, type Ranges } from "../../ranges.ts";
import { type NewRequest, type Sender } from "../doubts/requests.ts";
import { jsonColumn } from "../json-column.ts";
import type { StageName } from "./stagings.ts";

/** What goes in one request: part `part` (from 0) of one staging. */
export type PartName = StageName & { readonly part: number };

/** How a part travels: a lightweight JSON body, or a gzip file of its own. */
export type PartForm = "body" | "file";

/** A part that a staging or a split makes. */
export type NewPart = {
  readonly part: number;
  readonly ranges: Ranges;
  readonly records: number;
  readonly jsonBytes: number;
  readonly gzipBytes: number;
  readonly jsonlSha256: string | null;
  readonly gzipSha256: string | null;
};

/** A receipt as stored; its ranges of records are JSON. */
export const receiptRow = z
  .object({
    runId: z.string(),
    chunk: z.int(),
    stage: z.int(),
    part: z.int(),
    form: z.enum(["body", "file"]),
    state: z.enum([
      ...(["staged", "sending", "uploaded", "confirming"] as const),
      ...(["accepted", "committed", "split", "refused"] as const),
    ]),
    ranges: jsonColumn.pipe(ranges),
    records: z.int(),
    /** Bytes of the body as sent, or of the file's JSONL. */
    jsonBytes: z.int(),
    /** Bytes of the file; 0 for a body. */
    gzipBytes: z.int(),
    gzipSha256: z.string().nullable(),
    fileKey: z.string().nullable(),
    /** Attempts that began to send or confirm it, by which an attempt knows whether it is still the newest. */
    attempts: z.int(),
  })
  .readonly();

/** The durable story of one part. */
export type Receipt = z.output<typeof receiptRow>;

/** A part as it leaves, or as it is if nothing of it leaves now. */
export type BegunPart = Receipt & {
  /** The number of its staging. */
  readonly send: number;
  /** The number of the request that was noted; null if none was. */
  readonly request: number | null;
};

/** Receipts: what became of every part. */
export interface ReceiptStore {
  /**
   * Notes that a part is about to leave: its receipt, created if missing, becomes `sending`, or `confirming` if
   * `confirm` is set. A body found `sending`, or a file found `confirming`, may have been accepted: its records count
   * as possibly repeated. Returns a receipt unchanged if it is further along (for a confirm: `accepted`), if another
   * key of it is being confirmed, or if it is `staged` and not smaller than a part of this run that was too large: it
   * is then to be split before anything leaves.
   * @throws {SupersededError} the staging is not the newest.
   */
  beginPart(
    input: PartName & {
      readonly form: PartForm;
      /**
       * The key that is about to be confirmed. The receipt has it from then on: two attempts may have uploaded the part
       * at once, each under a key of its own, and the key that Temporal knows need not be the one that was noted last.
       */
      readonly confirm?: string;
      readonly host: string;
      readonly at: string;
      /**
       * For a request that may apply records: who makes it, and for how long it may be applied. An upload applies none.
       */
      readonly request?: NewRequest | undefined;
    },
  ): BegunPart;
  /**
   * Notes the key that an attempt's upload was given, before the upload. Returns false when another part has the key:
   * that part's file would be overwritten before it was processed.
   */
  claimKey(
    input: PartName & {
      /** As `beginPart` returned it. */
      readonly attempts: number;
      readonly fileKey: string;
    },
  ): boolean;
  /**
   * Ends an attempt that `beginPart` began, and its request: moves its receipt from `sending` or `confirming` to
   * `state`. Moves nothing when another attempt has begun meanwhile: an attempt that was thought dead must not
   * overwrite what its successor knows. If the part made progress, as it was uploaded under a new key or accepted,
   * forgets the faults that its chunk met.
   * @throws {SupersededError} the service accepted it after its staging was given up: what was sent of its keys since
   * is in doubt.
   */
  movePart(
    input: PartName & {
      /** As `beginPart` returned it. */
      readonly attempts: number;
      readonly state: "staged" | "uploaded" | "accepted";
      /** Left as it is when absent, removed when null. */
      readonly fileKey?: string | null | undefined;
      readonly at: string;
      /** As `beginPart` returned it, and when it ended. */
      readonly request?: { readonly number: number; readonly now: Moment } | undefined;
    },
  ): void;
  /** Notes that a request ended, and that nobody knows whether it was or will be applied. */
  endRequest(input: { readonly number: number; readonly now: Moment }): void;
  receipt(input: PartName): Receipt | undefined;
  /**
   * What a part is to send, even before its first attempt begins; undefined once the service has accepted it.
   * @throws {SupersededError} its staging is gone.
   */
  rangesToSend(input: PartName & { readonly form: PartForm }): Ranges | undefined;
  /**
   * Notes what a part puts in doubt when it leaves, and returns because of which requests. To be called before
   * `beginPart`, after which the part has to leave within seconds. Calling it twice has the same effect as once.
   */
  noteDoubts(
    input: PartName & { readonly form: PartForm } & Pick<Sender, "now" | "stream">,
  ): number[];
  /** The receipts of one staging, in order of their numbers. */
  receipts(input: StageName): Receipt[];
}
