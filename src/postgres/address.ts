import { connectTimeoutMs } from "../limits.ts";
import type { Secret } from "../security/secret.ts";
import { partsOf, type TlsMode } from "./url.ts";

/** Where the server is, who logs in, and how it is reached. */
export type Address = {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly tls: TlsMode;
};

/** How a configuration names a server: by a URL in which `urlFault` found no fault, or by its parts. */
export type AddressMembers = {
  readonly url?: Secret | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: Secret | undefined;
  readonly tls?: TlsMode | undefined;
  readonly ca_file?: string | undefined;
};

const portDefault = 5432;

const local = /^(?:\/.*|localhost\.?|127(?:\.\d{1,3}){3}|::1)$/i;

/** Whether a host is this machine or a Unix socket, so that nobody can listen in between. */
export function isLocal(host: string): boolean {
  return local.test(host);
}

/** The address in a configuration, its URL split into parts. A database without a name takes the user's name. */
export function addressOf({ url, ...members }: AddressMembers): Address {
  const parts = url === undefined ? undefined : partsOf(url);
  const { host = "", port, user = "", database = "" } = parts ?? members;
  const isSocket = host.startsWith("/");
  const isTrusted = isLocal(host) && members.ca_file === undefined;
  const tls = members.tls ?? parts?.tls ?? (isTrusted ? "off" : "verify-full");
  return {
    host,
    user,
    database: database === "" ? user : database,
    port: port ?? portDefault,
    tls: isSocket ? "off" : tls,
  };
}

/** How long connecting may take. */
export function connectMsOf({ url }: AddressMembers): number {
  return (url && partsOf(url).connectMs) ?? connectTimeoutMs;
}

/** The password in the clear, for the client alone; empty when there is none. */
export function passwordOf({ url, password }: AddressMembers): string {
  return url === undefined ? (password?.reveal() ?? "") : partsOf(url).password;
}
