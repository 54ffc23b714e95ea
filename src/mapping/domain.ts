import { isIP } from "node:net";

import { hostCharsMax } from "./limits.ts";
import { CoercionRefusal } from "./refusal.ts";

const notText = new CoercionRefusal("not_domain", "is not text, so not a domain");
const notHost = new CoercionRefusal("not_domain", "holds no host name");
const address = new CoercionRefusal("not_domain", "is an IP address, not a domain");
const singleLabel = new CoercionRefusal("not_domain", "is a single word, not a domain");

// Underscores occur in real host names and the URL standard accepts them. It accepts commas and other marks too, but
// these are far more often two domains in one cell.
const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const hostName = new RegExp(`^(?:${label}\\.)+${label}$`);

// Hosts that the URL standard does not change. Left to the parser: www., "--" (IDN), a last label that may end an IP.
const plainHost = new RegExp(`^(?!www\\.|.*--)(?:${label}\\.)+[a-z]{2,63}$`);

const webScheme = /^(?:https?|wss?|ftp):/i;
const otherScheme = /^[a-z][a-z0-9+.-]*:\/\//i;
const lineOrTab = /[\t\r\n]/;

const authority = /^[a-z][a-z0-9+.-]*:[/\\]*([^/?#\\]*)/i;

/**
 * The host, as the URL standard reads it, of a URL, an e-mail address or a bare host: lower case, IDN in ASCII, without
 * `www.`, port, path and root dot. Expects text without blanks around it. Refuses IP addresses and single labels.
 */
export function domainOf(value: unknown): string | CoercionRefusal {
  if (typeof value !== "string") return notText;
  if (value.length <= hostCharsMax && plainHost.test(value)) return value;
  // The URL standard drops these characters, which would make one domain of two.
  if (lineOrTab.test(value)) return notHost;
  const text = addressOf(value);
  if (isOfSeveral(text)) return notHost;
  // In lower case, because the standard does not change the hosts of schemes that it does not know.
  const url = URL.parse(text);
  return url === null ? notHost : domainOfHost(url.hostname.toLowerCase());
}

/** The content of a cell that should be a domain, without blanks around it; undefined for an empty cell. */
export function domainText(value: unknown): unknown {
  const text = typeof value === "string" ? value.trim() : value;
  return text === null || text === "" ? undefined : text;
}

/** Without a scheme it is read as in a browser's address bar; an e-mail address is then a user and a host. */
function addressOf(value: string): string {
  if (webScheme.test(value) || otherScheme.test(value)) return value;
  return value.startsWith("//") ? `http:${value}` : `http://${value}`;
}

/**
 * Whether what precedes the host is more than a user: the standard takes everything up to the last @ for one, so that
 * of two addresses in one cell the last would win. A password may hold marks.
 */
function isOfSeveral(text: string): boolean {
  const [, before = ""] = authority.exec(text) ?? [];
  const user = before.slice(0, Math.max(before.lastIndexOf("@"), 0));
  return /[@\s]/.test(user) || /^[^:]*[,;]/.test(user);
}

function domainOfHost(hostname: string): string | CoercionRefusal {
  const host = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  if (host.startsWith("[") || isIP(host) !== 0) return address;
  if (host.length > hostCharsMax) return notHost;
  if (!hostName.test(host)) return host !== "" && !host.includes(".") ? singleLabel : notHost;
  // www.com is a domain of its own.
  return host.startsWith("www.") && host.includes(".", 4) ? host.slice(4) : host;
}
