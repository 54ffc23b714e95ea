import { once } from "node:events";
import { connect } from "node:net";

import { errorCodeOf, messageOf } from "../errors.ts";

const lookMsMax = 2_000;

/** Connection faults in words, by errno. */
const words: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ENOTFOUND", "there is no such host"],
  ["EAI_AGAIN", "the name of the host cannot be looked up"],
  ["EHOSTUNREACH", "there is no way to that host"],
  ["ENETUNREACH", "there is no way to that network"],
  ["ECONNRESET", "the connection was reset"],
  ["ABORT_ERR", "nothing answers there"],
  ["ETIMEDOUT", "nothing answers there"],
]);

/** The innermost text of an error; Temporal's libraries wrap it in the names of their types. */
function innermost(error: unknown): string {
  const text = messageOf(error);
  if (!/^tonic::|Os \{|ConnectError/.test(text)) return text;
  const quoted = [...text.matchAll(/"([^"]+)"/g)].at(-1)?.[1];
  return quoted?.toLowerCase() ?? "its transport failed";
}

/**
 * Why Temporal cannot be reached at `host:port`, in a few words: tries once more, and falls back to the
 * library's own text.
 */
export async function whyUnreachable(address: string, error: unknown): Promise<string> {
  const url = URL.parse(`tcp://${address}`);
  const port = Number(url?.port);
  if (url === null || port === 0) return `${innermost(error)} (an address is host:port)`;
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ""), port });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(lookMsMax) });
    return `something listens there, but does not answer as Temporal does (${innermost(error)})`;
  } catch (fault) {
    return words.get(errorCodeOf(fault)) ?? innermost(fault);
  } finally {
    socket.destroy();
  }
}
