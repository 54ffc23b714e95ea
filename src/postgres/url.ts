import type { Secret } from "../security/secret.ts";

/** How a connection is encrypted, and whether the server's certificate is checked. */
export type TlsMode = "verify-full" | "require" | "off";

/** The parts of a connection URL; empty texts or undefined for those that it leaves out. */
export type UrlParts = {
  readonly host: string;
  readonly port: number | undefined;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: TlsMode | undefined;
  readonly connectMs: number | undefined;
};

/** The meaning of `sslmode` in a URL. `prefer` and `allow` would let anyone on the way turn TLS off. */
const tlsModes: ReadonlyMap<string, TlsMode> = new Map([
  ["disable", "off"],
  ["require", "require"],
  ["verify-full", "verify-full"],
]);

/** The parameters a URL may have. Channel binding is used whenever the server offers it. */
const parameters: ReadonlySet<string> = new Set([
  "host",
  "sslmode",
  "channel_binding",
  "connect_timeout",
]);

/** What is wrong with a connection URL, or undefined; quotes none of it but the name of an unknown parameter. */
export function urlFault(secret: Secret): string | undefined {
  // The error of `new URL` would carry the whole URL.
  const url = URL.parse(secret.reveal());
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    return "not a URL such as postgres://user:password@host:5432/database (write @ in a password as %40)";
  }
  if ([url.username, url.password, url.pathname].some((text) => decoded(text) === undefined)) {
    return "the URL has a % that is not followed by two hexadecimal digits (write % in a password as %25)";
  }
  if (url.pathname.includes("@")) {
    return "the URL has an @ after a / (write / in a password as %2F, and @ as %40)";
  }
  if (url.username === "") return "the URL names no user";
  if (hostOf(url) === "") return "the URL names no host";
  const unknown = [...url.searchParams.keys()].find((key) => !parameters.has(key));
  if (unknown !== undefined) {
    return `the URL has the parameter ${JSON.stringify(unknown)}; only ${[...parameters].join(", ")} are known`;
  }
  const seconds = url.searchParams.get("connect_timeout");
  if (seconds !== null && !/^[1-9]\d?$/.test(seconds)) {
    return "the URL's connect_timeout is not a number of seconds from 1 to 99";
  }
  const mode = url.searchParams.get("sslmode");
  if (mode === null || tlsModes.has(mode)) return undefined;
  return `the URL's sslmode is not one of ${[...tlsModes.keys()].join(", ")}`;
}

/** Splits a URL in which `urlFault` found no fault. */
export function partsOf(secret: Secret): UrlParts {
  const url = new URL(secret.reveal());
  return {
    host: hostOf(url),
    port: url.port === "" ? undefined : Number(url.port),
    database: decodeURIComponent(url.pathname.slice(1)),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    tls: tlsModes.get(url.searchParams.get("sslmode") ?? ""),
    connectMs: Number(url.searchParams.get("connect_timeout")) * 1_000 || undefined,
  };
}

function hostOf(url: URL): string {
  const host = url.searchParams.get("host") ?? decoded(url.hostname) ?? "";
  return host.replace(/^\[(.+)\]$/, "$1");
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
