import dns from "node:dns";
import type { LookupAddress, LookupAllOptions } from "node:dns";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";

import ipaddr from "ipaddr.js";

import { ApiContractError, ConfigError } from "../../errors.ts";
import { parseHttpDate } from "./retry-after.ts";
import type { HeaderValue } from "./retry-after.ts";

/** Addresses that are allowed although they would otherwise be refused. */
export type AddressAllowance = {
  /** Hosts that may be private and speak plain http. */
  readonly hosts: readonly string[];
  /** Whether loopback addresses are allowed. */
  readonly loopback: boolean;
};

/** Networks that we classify differently from ipaddr.js, by the kind that counts. */
const ownNetworks = {
  loopback: [ipaddr.parseCIDR("::1/128")],
  // Azure's metadata service, and IPv4 addresses written as `::a.b.c.d`.
  private: ["168.63.129.16/32", "::/96"].map((network) => ipaddr.parseCIDR(network)),
  // Networks reserved for documentation lead nowhere.
  unicast: ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"].map((network) =>
    ipaddr.parseCIDR(network),
  ),
};

/** The kind of network that an address belongs to, `unicast` for the public Internet; undefined for a name. */
function networkOf(address: string): string | undefined {
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return undefined;
  // ::ffff:0:0/96 is read as the IPv4 address; other notations of IPv4 in IPv6 are separate networks.
  const parsed = ipaddr.process(address);
  return ipaddr.subnetMatch(parsed, ownNetworks, parsed.range());
}

/** A host as the lists spell it: lower case, without brackets and the trailing dot. */
function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

/** Whether a host, by name or address, is this machine. */
export function isLoopback(host: string): boolean {
  const bare = bareHost(host);
  return bare === "localhost" || networkOf(bare) === "loopback";
}

function isAllowed(host: string, allowance: AddressAllowance): boolean {
  const bare = bareHost(host);
  return (
    allowance.hosts.some((listed) => bareHost(listed) === bare) ||
    (allowance.loopback && isLoopback(bare))
  );
}

/** The address of an endpoint below a base address, whose own path is kept. */
export function endpointUrl(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/$/, "") + path;
  return url;
}

/** The fault of an address, as the end of a sentence; undefined when it may be used. Names only its host. */
export function addressFault(url: URL, allowance: AddressAllowance): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "is neither https nor http";
  if (url.username !== "" || url.password !== "") return "has user info";
  if (isAllowed(url.hostname, allowance)) return undefined;
  const bare = bareHost(url.hostname);
  if (isLoopback(bare) || (isIP(bare) !== 0 && networkOf(bare) !== "unicast")) {
    return `has the private address ${bare}`;
  }
  return url.protocol === "http:" ? `is plain http to ${bare}` : undefined;
}

/** @throws ConfigError naming `field` when a configured base address must not be used. Loopback is allowed. */
export function checkBaseUrl(url: URL, field: string, allowInsecureHosts: readonly string[]): void {
  const fault =
    addressFault(url, { hosts: allowInsecureHosts, loopback: true }) ??
    (url.search === "" && url.hash === "" ? undefined : "has a query or a fragment");
  if (fault === undefined) return;
  throw new ConfigError(`${field} ${fault}`, {
    field,
    hint: "Give a public https address, or list its host under api.allow_insecure_hosts.",
  });
}

/** Looks up all addresses of a name, as dns.lookup does. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * A DNS lookup for connections that drops private addresses, unless the name itself is allowed: a name that was public
 * when it was checked may resolve to something else a moment later. Numeric addresses never get here.
 */
export function guardedLookup(
  allowance: AddressAllowance,
  resolve: Resolve = dns.lookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const usable = isAllowed(hostname, allowance)
        ? found
        : found.filter(({ address }) => networkOf(address) === "unicast");
      const [first] = usable;
      if (first === undefined) {
        const refusal = `${bareHost(hostname)} resolves to a private address`;
        return callback(
          new ApiContractError(refusal, {
            hint: "If that is meant, list the host under api.allow_insecure_hosts.",
          }),
          [],
        );
      }
      return options.all === true
        ? callback(null, usable)
        : callback(null, first.address, first.family);
    });
  };
}

/**
 * Whether a pre-signed address had expired when the answer that brought it was written. Its expiry is by the service's
 * clock, so it is compared with the answer's Date; false when either is missing.
 */
export function isExpired(url: URL, date: HeaderValue, now: number): boolean {
  const answeredAt = parseHttpDate(date, now);
  const expiresAt = expiryOf(url);
  return answeredAt !== undefined && expiresAt !== undefined && expiresAt <= answeredAt;
}

/** Reads `X-Amz-Date` with `X-Amz-Expires`, or `expires` in Unix seconds or ms. */
function expiryOf(url: URL): number | undefined {
  const query = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  const signedAt = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get("x-amz-date") ?? "");
  const lifetime = /^\d{1,9}$/.exec(query.get("x-amz-expires") ?? "");
  if (signedAt !== null && lifetime !== null) {
    const [year = 0, month = 0, day, hour, minute, second] = signedAt.slice(1).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) + Number(lifetime[0]) * 1_000;
  }
  const expires = /^\d{9,14}$/.exec(query.get("expires") ?? "");
  if (expires === null) return undefined;
  const value = Number(expires[0]);
  // Seconds have ten digits until the year 2286.
  return expires[0].length > 11 ? value : value * 1_000;
}
