import type { UploadIssue } from "../upload/upload.ts";

/** An HTTP answer, ready to be sent. */
export type SandboxAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** An answer with a JSON body. */
export function json(status: number, body: unknown): SandboxAnswer {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** An error in the envelope `{message}` (docs/facts/service.md#errors). */
export function message(status: number, text: string): SandboxAnswer {
  return json(status, { message: text });
}

/** A 422 in the envelope `{detail}` (docs/facts/service.md#errors). */
export function invalid(issues: readonly UploadIssue[]): SandboxAnswer {
  return json(422, { detail: issues });
}

/** An error of the storage. Both texts are ours and contain nothing to escape. */
export function storageError(status: number, error: { code: string; text: string }): SandboxAnswer {
  return {
    status,
    headers: { "content-type": "application/xml" },
    body:
      `<?xml version="1.0" ` +
      `encoding="UTF-8"?>\n<Error><Code>${error.code}</Code><Message>${error.text}</Message></Error>`,
  };
}
