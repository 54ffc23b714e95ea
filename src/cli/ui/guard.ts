import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

import { ConfigError } from "../../errors.ts";
import { compare } from "../../security/compare.ts";
import type { Secret } from "../../security/secret.ts";

/** A shorter token could be guessed. */
const tokenCharsMin = 16;

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

/** Who may look: where the pages listen, and the token that they require; undefined requires none. */
export type UiDoor = { readonly host: string; readonly token: Secret | undefined };

/** Why a request is not answered. */
export type UiRefusal = { readonly status: 401 | 403 | 421; readonly text: string };

/** @throws {ConfigError} others could look without a token, or could guess it. */
export function assertGuarded({ host, token }: UiDoor): void {
  if (token === undefined) {
    if (loopback.has(host)) return;
    throw new ConfigError(`--host ${host} shows rejects and runs to whoever reaches it`, {
      hint: "set SLUICE_UI_TOKEN, which is asked for as a password; or leave --host out",
    });
  }
  if (token.reveal().length >= tokenCharsMin) return;
  throw new ConfigError(`SLUICE_UI_TOKEN must have ${tokenCharsMin} characters at least`, {
    field: "SLUICE_UI_TOKEN",
    hint: "for example what `openssl rand -hex 24` prints",
  });
}

/** The name in a Host header, without its port; undefined if there is none. */
function nameIn(host: string): string | undefined {
  return /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i
    .exec(host)
    ?.slice(1)
    .find(Boolean)
    ?.toLowerCase();
}

/**
 * Whether a browser asked for us by a name that is ours. A foreign page can have its own name lead here (DNS
 * rebinding), but not an address, nor `localhost`.
 */
function isOurName(host: string, at: string): boolean {
  const name = nameIn(host);
  if (name === undefined) return false;
  if (loopback.has(name) || name === at.toLowerCase()) return true;
  return !loopback.has(at) && isIP(name) !== 0;
}

/** The token in a header: from a browser the password, whatever the user name; from a program a bearer token. */
function tokenIn(header: string): string {
  const [, scheme = "", given = ""] = /^(basic|bearer) +([\w+/=.~-]+)$/i.exec(header) ?? [];
  if (scheme.toLowerCase() !== "basic") return given;
  const credentials = Buffer.from(given, "base64").toString();
  return credentials.slice(credentials.indexOf(":") + 1);
}

/** Why a request with these headers is not answered; undefined lets it in. */
export function refusalOfUi(
  headers: IncomingHttpHeaders,
  { host, token }: UiDoor,
): UiRefusal | undefined {
  if (!isOurName(headers.host ?? "", host)) {
    return { status: 421, text: "Open this page by its address, or as localhost." };
  }
  // A link from elsewhere may lead here, but a page from elsewhere must not make us read a source.
  if (headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-mode"] !== "navigate") {
    return { status: 403, text: "Another site asked." };
  }
  if (token === undefined || compare(tokenIn(headers.authorization ?? ""), token.reveal())) {
    return undefined;
  }
  return { status: 401, text: "SLUICE_UI_TOKEN is asked for, as the password." };
}
