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
    /** Attempts that began to send or confirm it: an attempt knows by it whether it is still the newest. */
    attempts: z.int(),
  })
  .readonly();

/** The durable story of one part. */
export type Receipt = z.output<typeof receiptRow>;

/** A part as it leaves, or as it is where nothing of it leaves now. */
export type BegunPart = Receipt & {
  /** The number of the request that was noted; null where none leaves. */
  readonly request: number | null;
};

/** Receipts: what became of every part. */
export interface ReceiptStore {
  /**
   * Says that a part is about to leave: its receipt, made when missing, becomes `sending`, or `confirming`
   * when `confirm` is set. A body found `sending`, or a file found `confirming`, was perhaps accepted: its
   * records count as possibly repeated. A receipt that is further (for a confirm: `accepted`) is answered
   * unchanged, and so is one of which another key is being confirmed, and a `staged` one that is not smaller
   * than a part of this run which was too large: it is to be split before anything leaves.
   * @throws {SupersededError} the staging is not the newest.
   */
  beginPart(
    input: PartName & {
      readonly form: PartForm;
      /**
       * The key that is about to be confirmed. The receipt has it from then on: two attempts may have
       * uploaded the part at once, each under a key of its own, and the one whose key Temporal knows need not
       * be the one that was noted last.
       */
      readonly confirm?: string;
      readonly host: string;
      readonly at: string;
      /**
       * Of a request that may apply records: who makes it, and for how long it may be applied. An upload
       * applies none.
       */
      readonly request?: NewRequest | undefined;
    },
  ): BegunPart;
  /**
   * Writes down the key that an attempt's upload was given, before the upload. False when it is another
   * part's: that one's file would be overwritten before it was processed.
   */
  claimKey(
    input: PartName & {
      /** As `beginPart` answered. */
      readonly attempts: number;
      readonly fileKey: string;
    },
  ): boolean;
  /**
   * Ends an attempt that `beginPart` began, and its request: its receipt moves from `sending` or `confirming`
   * to `state`. Nothing moves when another attempt has begun meanwhile: one that was thought dead must not
   * overwrite what its successor knows. With a part that gets on, uploaded under a new key or accepted, the
   * faults that its chunk met are forgotten.
   * @throws {SupersededError} the service accepted it after its staging was given up: what was sent of its
   * keys since is in doubt.
   */
  movePart(
    input: PartName & {
      /** As `beginPart` answered. */
      readonly attempts: number;
      readonly state: "staged" | "uploaded" | "accepted";
      /** Left as it is when absent, removed when null. */
      readonly fileKey?: string | null | undefined;
      readonly at: string;
      /** As `beginPart` answered, and when it ended. */
      readonly request?: { readonly number: number; readonly now: Moment } | undefined;
    },
  ): void;
  /** Notes that a request ended, and that nobody knows whether it was or will be applied. */
  endRequest(input: { readonly number: number; readonly now: Moment }): void;
  receipt(input: PartName): Receipt | undefined;
  /**
   * What a part is to send, also before its first attempt begins; undefined once the service has accepted it.
   * @throws {SupersededError} its staging is gone.
   */
  rangesToSend(input: PartName & { readonly form: PartForm }): Ranges | undefined;
  /**
   * Notes what a part puts in doubt when it leaves, and answers for which requests: before `beginPart`, after
   * which it has to leave within seconds. Twice is once.
   */
  noteDoubts(
    input: PartName & { readonly form: PartForm } & Pick<Sender, "now" | "stream">,
  ): number[];
  /** Of one staging, in order of their numbers. */
  receipts(input: StageName): Receipt[];
}
