import { SluiceError } from "../../src/errors.ts";
import type { ConnectorRequest, Finding } from "../contract/request.ts";
import type { HttpConfig } from "./config.ts";
import { readHttp } from "./read.ts";

/** One finding: whether the first row can be read. */
export async function checkHttp(
  request: ConnectorRequest<HttpConfig>,
): Promise<readonly Finding[]> {
  try {
    for await (const { rejects } of readHttp({ ...request, pageRowsMax: 1, limit: 1 })) {
      const reject = rejects?.[0];
      return [{ name: "read", ok: reject === undefined, fix: reject?.reason }];
    }
    return [{ name: "read", ok: true }];
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    return [{ name: "read", ok: false, detail: error.message, fix: error.hint }];
  }
}
