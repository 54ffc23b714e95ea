import { z } from "zod";

import {
  ApiContractError,
  ApiUnavailableError,
  ServiceFailsError,
  TooLargeError,
} from "../errors.ts";
import { lightweightBodyBytesMax, uploadBytesMax } from "../limits.ts";
import type { AnswerNote } from "./acceptance.ts";
import { apiCall } from "./api-call.ts";
import { readAccepted } from "./classify.ts";
import type { ApiContext } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { addressFault, isExpired, isLoopback } from "./http/address.ts";
import { codeOf, boundedRetryBudget } from "./http/no-answer.ts";
import { cutPlaceBytes, fileKeyCharsMax, putBytesPerSecondMin, faultTimesMax } from "./limits.ts";
import { SignedUrl } from "./signed-url.ts";
import { openStagedFile } from "./staged-file.ts";
import type { StagedFileFacts } from "./staged-file.ts";

const fileKey = z.string().min(1).max(fileKeyCharsMax);
const uploadAnswer = z.object({ status: z.string(), message: z.string(), file_key: fileKey });
const uploadUrlAnswer = z.object({ upload_url: z.string().min(1), file_key: fileKey });
const confirmAnswer = z.object({ status: z.string(), message: z.string() });

/** A part in lightweight mode. */
export type UploadJsonInput = {
  readonly stream: string;
  /** The whole request body, envelope included. */
  readonly body: Uint8Array;
  /** Records in `body`. */
  readonly records: number;
  readonly signal: AbortSignal;
  /** As in `Call`. */
  readonly beforeSend?: (() => void) | undefined;
};

/**
 * Sends one part in lightweight mode.
 * @throws TooLargeError before anything is sent when the body exceeds `lightweightBodyBytesMax`.
 */
export async function uploadJson(
  context: ApiContext,
  { stream, body, records, signal, beforeSend }: UploadJsonInput,
): Promise<{ readonly fileKey: string; readonly note: AnswerNote | undefined }> {
  const { path } = endpoints.uploadJson;
  const asked = { path, stream, body, records, signal, beforeSend };
  const call = apiCall(context, { endpoint: "uploadJson", ...asked });
  // I3: a body never exceeds its limit, in bytes as sent.
  if (body.byteLength > lightweightBodyBytesMax) {
    throw new TooLargeError(
      `${call.what}: ${body.byteLength} bytes, ${lightweightBodyBytesMax} at most are taken`,
    );
  }
  const { data, note } = readAccepted(call, await context.http.send(call), uploadAnswer);
  return { fileKey: data.file_key, note };
}

/**
 * Asks for an address to PUT one file to, which is good for one attempt, and checks it.
 * @throws ApiContractError when no file may be sent there; ApiUnavailableError when it had expired before it came.
 */
export async function generateUploadUrl(
  context: ApiContext,
  { stream, signal }: { readonly stream: string; readonly signal: AbortSignal },
): Promise<{ readonly uploadUrl: SignedUrl; readonly fileKey: string }> {
  const { path } = endpoints.generateUploadUrl;
  const wanted = { stream, content_type: "application/jsonl", content_encoding: "gzip" };
  const body = Buffer.from(JSON.stringify(wanted));
  const call = apiCall(context, { endpoint: "generateUploadUrl", path, stream, body, signal });
  const answer = await context.http.send(call);
  const { upload_url: text, file_key: key } = readAccepted(call, answer, uploadUrlAnswer).data;
  return { uploadUrl: checkUploadUrl(context, text, { exchange: call, answer }), fileKey: key };
}

function checkUploadUrl(
  { allowInsecureHosts, baseUrl, now }: ApiContext,
  text: string,
  { exchange, answer }: { exchange: Exchange; answer: Answer },
): SignedUrl {
  const { what } = exchange;
  // URL.parse, because the error of `new URL` quotes the whole address.
  const url = URL.parse(text);
  const fault =
    url === null
      ? "is not a URL"
      : addressFault(url, { hosts: allowInsecureHosts, loopback: isLoopback(baseUrl.hostname) });
  if (url === null || fault !== undefined)
    throw new ApiContractError(`${what}: upload_url ${fault}`);
  if (isExpired(url, answer.headers.date, now())) {
    const message = `${what}: upload_url has expired already`;
    const expired = { fault: "expired", message, mayHaveSucceeded: false };
    throw new ApiUnavailableError(message, { retryBudget: boundedRetryBudget(exchange, expired) });
  }
  return new SignedUrl(url);
}

/** A staged file and where it goes. */
export type PutFileInput = StagedFileFacts & {
  readonly uploadUrl: SignedUrl;
  readonly signal: AbortSignal;
};

/**
 * Sends one staged file to its address, without the API key (I5).
 * @throws StagedFileMissingError when the file is not the one in the receipt; TooLargeError when it exceeds
 * `uploadBytesMax`.
 */
export async function putFile(
  { http, timeouts }: ApiContext,
  { uploadUrl, signal, ...facts }: PutFileInput,
): Promise<void> {
  const what = `PUT ${String(uploadUrl)}`;
  if (facts.bytes > uploadBytesMax) {
    throw new TooLargeError(`${what}: ${facts.bytes} bytes, ${uploadBytesMax} at most are taken`);
  }
  let sent = 0;
  const onBytes = (bytes: number): void => {
    sent = bytes;
    facts.onBytes?.(bytes);
  };
  const file = await openStagedFile({ ...facts, onBytes });
  try {
    await http.send({
      endpoint: "putFile",
      what,
      records: 0,
      scope: { kind: "storage", host: uploadUrl.host },
      url: uploadUrl.reveal(),
      headers: {
        "content-type": "application/jsonl",
        "content-encoding": "gzip",
        // An object store refuses chunked transfer.
        "content-length": String(facts.bytes),
      },
      body: file,
      signal,
      deadlineMs: timeouts.putBaseMs + Math.ceil(facts.bytes / putBytesPerSecondMin) * 1_000,
      silenceMs: timeouts.putHeadersMs,
      graceMs: 0,
    });
  } catch (error) {
    throw asCut(error, { sent, of: facts.bytes });
  } finally {
    await file.close();
  }
}

/** Codes of a connection that was cut. */
const cut = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;

/**
 * A cut in the middle of the file may hide a refusal that was sent before the file was read: repeated cuts at the same
 * place mean that the file is too large for something on the way. A file that fits into the network's buffers is always
 * cut at one place, which says nothing.
 */
function asCut(error: unknown, { sent, of }: { sent: number; of: number }): unknown {
  const isCut = error instanceof ApiUnavailableError && cut.test(codeOf(error.cause));
  if (!isCut || sent === 0 || sent === of || of <= cutPlaceBytes) return error;
  const message = `${error.message} after about ${sent} of ${of} bytes`;
  const retryBudget = {
    fault: `putFile cut at ${Math.floor(sent / cutPlaceBytes)}`,
    timesMax: faultTimesMax,
    // Not "too large": a network that cuts must not lower the limit of the whole run.
    becomes: new ServiceFailsError(`${message}, ${faultTimesMax} times`),
  };
  return new ApiUnavailableError(message, { cause: error, retryBudget });
}

/** A file that was PUT. */
export type ConfirmUploadInput = {
  readonly fileKey: string;
  /** Records in the file. */
  readonly records: number;
  readonly signal: AbortSignal;
  /** As in `Call`. */
  readonly beforeSend?: (() => void) | undefined;
};

/** Makes the service process a file that was PUT; "already confirmed" is success. */
export async function confirmUpload(
  context: ApiContext,
  { fileKey: key, records, signal, beforeSend }: ConfirmUploadInput,
): Promise<{ readonly note: AnswerNote | undefined }> {
  const { path } = endpoints.confirmUpload;
  const body = Buffer.from(JSON.stringify({ file_key: key }));
  const asked = { path, body, records, signal, beforeSend };
  const call = apiCall(context, { endpoint: "confirmUpload", ...asked });
  const answer = await context.http.send(call);
  // The 409 for a confirm that was done before is accepted too, but has no such body.
  if (answer.status !== 200) return { note: undefined };
  return { note: readAccepted(call, answer, confirmAnswer).note };
}
