import type { IncomingMessage } from "node:http";

import { z } from "zod";

import { uploadBytesMax } from "../../limits.ts";
import { faultName } from "../faults/faults.ts";
import { type SandboxAnswer, storageError } from "../http/answers.ts";
import type { SandboxCall, ExchangeOutcome, StepHandler } from "../http/exchange.ts";
import { storagePath } from "../steps.ts";
import { compareSignatures, signUpload } from "./signature.ts";
import type { UploadStore } from "./upload-store.ts";
import type { Content } from "./upload.ts";

const query = z.object({ expires: z.string().regex(/^\d{1,12}$/), signature: z.string() });

/**
 * The object store behind the upload addresses (docs/facts/service.md#heavyweight): it stores bytes and answers in XML.
 */
export class Storage {
  readonly #store: UploadStore;
  readonly #signingKey: Buffer;

  constructor(store: UploadStore, signingKey: Buffer) {
    this.#store = store;
    this.#signingKey = signingKey;
  }

  /** PUT to an upload address. The lines are checked meanwhile, and confirm reports the result. */
  readonly put: StepHandler = async (call) => {
    const fileKey = this.#signedKey(call);
    if (typeof fileKey !== "string") return () => ({ answer: fileKey });
    const upload = this.#store.get(fileKey);
    if (upload === undefined) return () => ({ answer: badSignature });
    call.soFar.file_key = fileKey;
    if (call.fault !== undefined && "expireUrl" in call.fault) {
      const entry = { file_key: fileKey, fault: faultName(call.fault) };
      return () => ({ answer: expired, entry });
    }
    const refusal = refusalOf(call.request);
    if (refusal !== undefined) return () => ({ answer: refusal, entry: { file_key: fileKey } });
    const content = await this.#store.files.receive({
      fileKey,
      stream: upload.stream,
      body: counted(call),
    });
    return () => this.#keep(fileKey, content);
  };

  /** The newer of two PUTs wins; one after a confirm is accepted and discarded: the file was applied already. */
  #keep(fileKey: string, content: Content): ExchangeOutcome {
    const outcome = {
      answer: { status: 200, headers: {}, body: "" },
      entry: {
        file_key: fileKey,
        gzip_sha256: content.gzipSha256,
        jsonl_sha256: content.jsonlSha256,
        records: content.records,
        bytes: content.bytes,
      },
    };
    const upload = this.#store.get(fileKey);
    if (upload === undefined || upload.isConfirmed) {
      return { ...outcome, obsolete: content.diskName };
    }
    const stored = { ...content, storedAtMs: Date.now() };
    return {
      ...outcome,
      upload: { ...upload, content: stored },
      obsolete: upload.content?.diskName,
    };
  }

  #signedKey(call: SandboxCall): string | SandboxAnswer {
    const given = query.safeParse(Object.fromEntries(call.url.searchParams));
    if (!given.success) return badSignature;
    const { expires, signature } = given.data;
    // A client made from the OpenAPI document writes the key's slashes as %2F: a path parameter cannot hold any.
    const fileKey = call.url.pathname.slice(storagePath.length).replaceAll(/%2f/gi, "/");
    const expected = signUpload(this.#signingKey, { fileKey, expires });
    if (!compareSignatures(signature, expected)) return badSignature;
    return Number(expires) * 1_000 <= Date.now() ? expired : fileKey;
  }
}

const expired = storageError(403, { code: "AccessDenied", text: "Request has expired" });

const badSignature = storageError(403, {
  code: "SignatureDoesNotMatch",
  text: "The signature does not match the request",
});

/** The body, with its bytes counted as they come. */
async function* counted({ request, soFar }: SandboxCall): AsyncGenerator<Buffer> {
  for await (const chunk of request as AsyncIterable<Buffer>) {
    soFar.bytes += chunk.length;
    yield chunk;
  }
}

/** The checks of an object store before it takes a byte; the signature covers the two content headers as well. */
function refusalOf({ headers }: IncomingMessage): SandboxAnswer | undefined {
  if (headers["content-type"] !== "application/jsonl" || headers["content-encoding"] !== "gzip") {
    return badSignature;
  }
  if (headers["transfer-encoding"] !== undefined) {
    return storageError(501, {
      code: "NotImplemented",
      text: "A header you provided implies functionality that is not implemented: Transfer-Encoding",
    });
  }
  if (headers["content-length"] === undefined) {
    return storageError(411, {
      code: "MissingContentLength",
      text: "You must provide the Content-Length HTTP header",
    });
  }
  if (Number(headers["content-length"]) > uploadBytesMax) {
    return storageError(413, {
      code: "EntityTooLarge",
      text: "Your proposed upload exceeds the maximum allowed size",
    });
  }
  return undefined;
}
