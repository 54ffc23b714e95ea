import { join, relative } from "node:path";

import type { TestCase } from "../../../testing/case.ts";
import { querying, casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

/**
 * A query that the server answers, and that is refused for its rows: it shows that the server was reached, and costs
 * one read.
 */
const reached = {
  from: querying("select 1 as id from generate_series(1, 2)", "id"),
  throws: { code: "ConfigError", field: "key", says: "two rows have the same id" },
};

type Findings = NonNullable<Sketch["findings"]>;

const isReached: Findings[number] = { name: "reachable", ok: true };

function tls(detail: string): Findings {
  return [isReached, { name: "TLS", ok: true, detail }];
}

const plain = tls("off: the server is on this host");
const noTls: Findings = [isReached, { name: "TLS", ok: false }];

function grants(detail: string): Findings {
  return [{ name: "grants", ok: true, detail: `${detail}, so give it a role of its own` }];
}

/** Logins, and the errors of those that fail. */
function logins(site: Site): readonly Sketch[] {
  const { role, password, port, barredUrl, readerUrl, ownerUrl } = site;
  const host = { ...reached.from, url: undefined, host: "127.0.0.1", port, user: role };
  const isAt: Findings = [
    { name: "reachable", ok: true, detail: `127.0.0.1:${port}` },
    ...plain.slice(1),
    { name: "login", ok: true, detail: `${role} at ${role}, Postgres ${site.version}` },
  ];
  const login = { throws: { code: "AuthFailed", field: "url" } };
  const atLogin: Findings = [isReached, { name: "TLS", ok: true }, { name: "login", ok: false }];
  const own = "unless it is for a write-back, reading needs select alone";
  return [
    {
      ...reached,
      what: "a host, and a database called as its user",
      from: { ...host, password },
      findings: [...isAt, ...grants(`warning: the role may also write 1 table; ${own}`)],
    },
    {
      ...reached,
      what: "a host that may be another one",
      from: { ...host, host: "0", password, tls: "off" },
      findings: tls("warning: off, so rows can be read on their way"),
    },
    {
      ...login,
      what: "names of one letter",
      from: { ...host, password: "p", user: "u", database: "d" },
      findings: atLogin,
    },
    ...(site.asksForPassword
      ? [{ ...login, what: "no password", from: host, findings: atLogin }]
      : []),
    {
      ...login,
      what: "another database",
      from: { ...host, password, database: "none" },
      findings: atLogin,
    },
    {
      what: "a port that nobody listens on",
      from: { ...host, password, port: 1 },
      throws: { code: "Unavailable", says: "Check the address" },
      findings: [{ name: "reachable", ok: false }],
    },
    {
      what: "a server without TLS",
      from: { ...host, password, port: site.plainPort, tls: "require" },
      throws: { code: "ConfigError", field: "tls", says: "Turn TLS on in the server" },
      findings: noTls,
    },
    {
      what: "a role whose connections are all in use",
      from: { ...reached.from, url: barredUrl },
      throws: { code: "ConfigError", says: "too many connections" },
    },
    {
      ...reached,
      what: "a role that reads alone",
      from: { ...reached.from, url: readerUrl },
      findings: [{ name: "grants", ok: true, detail: "the role may write no table" }],
    },
    {
      ...reached,
      what: "the owner of everything",
      from: { ...reached.from, url: ownerUrl },
      findings: grants("warning: the role is a superuser; reading needs select alone"),
    },
  ];
}

/** URLs with every possible part. */
function urls({ role, password, port, socket }: Site): readonly Sketch[] {
  const user = `${coded(role)}:${coded(password)}`;
  const sketches: readonly Sketch[] = [
    {
      ...reached,
      what: "a URL whose host is a parameter, and that writes letters as bytes",
      from: {
        ...reached.from,
        url:
          `postgresql://${user}@elsewhere.invalid:${port}/${coded(role)}?host=127.0.0.1` +
          "&sslmode=disable&channel_binding=prefer",
      },
      findings: plain,
    },
    {
      ...reached,
      what: "a URL without a database",
      from: { ...reached.from, url: `postgres://${user}@127.0.0.1:${port}` },
      findings: plain,
    },
  ];
  if (socket === undefined) return sketches;
  const { folder } = socket;
  const at: Findings = [
    { name: "reachable", ok: true, detail: `${folder}:${socket.port}` },
    ...plain.slice(1),
  ];
  const members = { url: undefined, host: folder, port: socket.port, user: role, password };
  const url = `postgres://${user}@localhost:${socket.port}?host=${coded(folder)}&sslmode=require`;
  return [
    ...sketches,
    {
      ...reached,
      what: "a socket, without TLS",
      from: { ...reached.from, ...members, tls: "off" },
      findings: at,
    },
    {
      ...reached,
      what: "a socket in a URL that asks for TLS",
      from: { ...reached.from, url },
      findings: at,
    },
  ];
}

/** Every character as a byte of a URL. */
function coded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join("");
}

/** A server with TLS and a self-signed certificate. */
function encrypted({ role, password, port, certificates: folder }: Site): readonly Sketch[] {
  if (folder === undefined) return [];
  const url = `postgres://${role}:${password}@127.0.0.1:${port}/${role}?sslmode=require`;
  const full = tls("verify-full: the server's certificate and name are checked");
  const require = tls(
    "warning: require checks no certificate, so anyone in between can pose as the server",
  );
  const { from } = reached;
  const unknown = { throws: { code: "ConfigError", field: "tls" }, findings: noTls };
  return [
    { ...reached, what: "TLS by a URL", from: { ...from, url }, findings: require },
    { ...unknown, what: "a server that nobody vouches for", from: { tls: "verify-full" } },
    {
      ...unknown,
      what: "a server that somebody else vouches for",
      from: { tls: "verify-full", folder, ca_file: "other" },
    },
    {
      ...unknown,
      what: "a URL that asks for a certificate",
      from: { url: url.replace("require", "verify-full") },
    },
    {
      ...unknown,
      what: "a host that may be another one, without a word of TLS",
      from: { url: undefined, host: "0", port, user: role, password },
    },
    {
      ...reached,
      what: "a server whose certificate is at hand",
      from: { ...from, folder, ca_file: "c" },
      findings: full,
    },
    {
      ...reached,
      what: "a certificate below another folder",
      from: { ...from, folder: "/", ca_file: join(".", folder, "c") },
      findings: full,
    },
    {
      ...reached,
      what: "a certificate without a folder to start from",
      from: { ...from, ca_file: relative(".", join(folder, "c")) },
      findings: full,
    },
    {
      ...reached,
      what: "TLS that checks nothing, though somebody else vouches",
      from: { ...from, tls: "require", folder, ca_file: "other" },
      findings: require,
    },
    {
      what: "certificates that are not there",
      from: { folder, ca_file: "none" },
      throws: { code: "ConfigError", field: "ca_file", says: "Check the path" },
      findings: [{ name: "TLS", ok: false }],
    },
  ];
}

/** Connections of every kind. */
export function serverCases(site: Site): readonly TestCase[] {
  return casesOf(site, [...logins(site), ...urls(site), ...encrypted(site)]);
}
