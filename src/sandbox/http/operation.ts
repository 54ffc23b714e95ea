import type { IncomingMessage } from "node:http";

import { confirmUploadBody } from "../schemas.ts";
import { type Step, stepOf } from "../steps.ts";
import { signatureSha256 } from "../upload/signature.ts";
import type { UploadStore } from "../upload/upload-store.ts";
import { peek } from "./request-body.ts";

/**
 * What a request is about, before it is carried out: the content for a confirm, the body for a search, otherwise the
 * length of the body. File keys do not work, because they are new in every run.
 */
export async function operationOf(
  step: Step,
  request: IncomingMessage,
  store: UploadStore,
): Promise<string> {
  if (stepOf(step).isPaged) return signatureSha256(await peek(request));
  if (step !== "confirm-upload") return request.headers["content-length"] ?? "";
  const body = confirmUploadBody.safeParse(parse(await peek(request)));
  if (!body.success) return "";
  return store.get(body.data.file_key)?.content?.gzipSha256 ?? "";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
