import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "pg";
import { z } from "zod";

import { messageOf } from "../../../src/errors.ts";
import { canaries } from "../canaries.ts";
import { ownHost } from "../certificates.ts";
import { keptPorts } from "../process/kept-ports.ts";
import { end, until } from "../process/process.ts";
import { clusterFolder, clusterOwner, ownerFile } from "./left-clusters.ts";

const password = new URL(canaries.databaseUrl).password;
const binariesFolder = "/usr/lib/postgresql";
const host = "127.0.0.1";

const result = z.object({ rows: z.array(z.record(z.string(), z.unknown())) });

/** Safety that a throw-away cluster does not need. */
const unsafe = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/** A throw-away cluster on a loopback port, run by an unprivileged user. */
export class PostgresCluster {
  readonly #folder: string;
  #port: number;
  readonly #user: { readonly uid?: number; readonly gid?: number };
  #server: ChildProcess | undefined;
  #isDurable = false;

  private constructor(at: { folder: string; port: number; user: { uid?: number; gid?: number } }) {
    this.#folder = at.folder;
    this.#port = at.port;
    this.#user = at.user;
  }

  /** Logs in as the owner of everything, into the database `postgres`. */
  get url(): string {
    return `postgres://sluice:${password}@${host}:${this.#port}/postgres`;
  }

  /**
   * Makes a cluster and starts its server, which ends with `remove`, or with this process. Unless it `isDurable`, it
   * waits for no disk. @throws {Error} there are no binaries
   */
  static async start({ isDurable = false } = {}): Promise<PostgresCluster> {
    const made = await PostgresCluster.#make();
    made.#isDurable = isDurable;
    await made.#initialise();
    await made.#upAnywhere();
    return made;
  }

  /** Starts a standby server that follows this one. */
  async standby(): Promise<PostgresCluster> {
    const made = await PostgresCluster.#make();
    await made.#give(made.#folder);
    const address = `host=${host} port=${this.#port} user=sluice password=${password}`;
    const args = ["--write-recovery-conf", "--checkpoint=fast", "-d", address, "-D", made.#data];
    await made.#finish("pg_basebackup", args);
    await made.#upAnywhere();
    return made;
  }

  static async #make(): Promise<PostgresCluster> {
    const user = unprivileged();
    const folder = await mkdtemp(join(tmpdir(), clusterFolder));
    await writeFile(join(folder, ownerFile), clusterOwner());
    const [port = 0] = await keptPorts(1);
    const made = new PostgresCluster({ folder, port, user });
    // A process that ends before it could call `remove` must not leave a server behind.
    process.once("exit", () => {
      made.#server?.kill("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    });
    return made;
  }

  /** Stops the server, as an operator would, and starts it again. */
  async restart(): Promise<void> {
    await this.#down();
    await this.#up();
  }

  /** Kills the server without warning, in the middle of a transaction, and starts it again. */
  async crash(): Promise<void> {
    if (this.#server !== undefined) await end(this.#server, "SIGKILL");
    await until(async () => {
      try {
        await this.#up();
        return true;
      } catch (error) {
        // Its processes notice one after another that it is gone.
        if (!/still in use/.test(messageOf(error))) throw error;
        return false;
      }
    });
  }

  /** Stops the server and removes its files. */
  async remove(): Promise<void> {
    await this.#down();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #initialise(): Promise<void> {
    await this.#give(this.#folder);
    const words = join(this.#folder, "password");
    await writeFile(words, password);
    const options = "--no-sync --no-locale --encoding=UTF8 --auth=scram-sha-256 --username=sluice";
    const args = [...options.split(" "), `--pwfile=${words}`, `--pgdata=${this.#data}`];
    await this.#finish("initdb", args);
    for (const [name, text] of [
      ["server.crt", ownHost.cert],
      ["server.key", ownHost.key],
    ] as const) {
      const file = join(this.#data, name);
      await writeFile(file, text, { mode: 0o600 });
      await this.#give(file);
    }
  }

  async #give(path: string): Promise<void> {
    const { uid, gid } = this.#user;
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
  }

  /** The first start: uses another port if someone took ours since we looked. */
  async #upAnywhere(): Promise<void> {
    for (;;) {
      try {
        await this.#up();
        return;
      } catch (error) {
        if (!/Address already in use/.test(messageOf(error))) throw error;
        [this.#port = 0] = await keptPorts(1);
      }
    }
  }

  async #up(): Promise<void> {
    const options = {
      listen_addresses: host,
      port: this.#port,
      unix_socket_directories: this.#folder,
      ssl: "on",
      ...(this.#isDurable ? {} : unsafe),
      // JIT compilation takes longer than any query of a test.
      jit: "off",
      max_prepared_transactions: 10,
    };
    const args = Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const { child, said } = this.#spawn("postgres", ["-D", this.#data, ...args]);
    this.#server = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`postgres ended: ${said()}`);
      return await runSql(this.url, "select 1").catch(() => undefined);
    });
  }

  /** A "fast" shutdown: sessions are terminated, and their open transactions rolled back. */
  async #down(): Promise<void> {
    if (this.#server !== undefined) await end(this.#server, "SIGINT");
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  async #finish(program: string, args: readonly string[]): Promise<void> {
    const { child, said } = this.#spawn(program, args);
    await once(child, "close");
    if (child.exitCode !== 0) throw new Error(`${program} failed: ${said()}`);
  }

  #spawn(program: string, args: readonly string[]): { child: ChildProcess; said: () => string } {
    const child = spawn(postgresProgram(program), [...args], {
      ...this.#user,
      cwd: this.#folder,
      env: { PATH: process.env["PATH"], LC_ALL: "C" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    return { child, said: () => said };
  }
}

/** Runs statements on a connection of their own and returns the rows of the last one. */
export async function runSql(
  url: string,
  sql: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    // Several statements give several results, which pg's types do not know.
    const results = z.array(result).parse([await client.query(sql)].flat());
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

/** The path of a program that comes with the server, such as `psql`. @throws {Error} there is no server */
export function postgresProgram(name: string): string {
  const versions = existsSync(binariesFolder) ? readdirSync(binariesFolder) : [];
  const found = versions
    .filter((version) => existsSync(join(binariesFolder, version, "bin/postgres")))
    .toSorted((a, b) => Number(b) - Number(a));
  const [newest] = found;
  if (newest === undefined) {
    throw new Error(
      "there is no Postgres server: install it (Debian: apt-get install postgresql), or set PG_URL",
    );
  }
  return join(binariesFolder, newest, "bin", name);
}

/** Postgres refuses to run as root: then it runs as `postgres`, or if there is no such user as `nobody`. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("there is no user `postgres` or `nobody` to run a server as");
}
