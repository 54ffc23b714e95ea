import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "pg";
import { onTestFinished } from "vitest";

import { keptPorts } from "../process/kept-ports.ts";
import { end, until, watch } from "../process/process.ts";

/** Debian's, or the one that the environment names. */
const program = process.env["PGBOUNCER"] ?? "/usr/sbin/pgbouncer";

/** An unprivileged user, where root runs the tests: PgBouncer does not run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** The same database through a PgBouncer with two connections; it ends with its test. */
export async function byPgBouncer(
  url: string,
  mode: "session" | "statement" | "transaction" = "transaction",
): Promise<string> {
  const { hostname, port, username, password } = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), "sluice-pgbouncer-"));
  const [listening = 0] = await keptPorts(1);
  const login = `user=${username} password=${password}`;
  await writeFile(
    join(folder, "pgbouncer.ini"),
    `[databases]\n* = host=${hostname} port=${port} ${login}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
      `listen_port = ${listening}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}\n` +
      "default_pool_size = 2\n",
  );
  await chmod(folder, 0o755);
  const child = spawn(program, [join(folder, "pgbouncer.ini")], { ...nobody, stdio: "pipe" });
  const { printed } = watch(child);
  onTestFinished(async () => {
    await end(child, "SIGTERM");
    await rm(folder, { recursive: true, force: true });
  });
  const way = Object.assign(new URL(url), { host: `127.0.0.1:${listening}` }).href;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${printed().stderr}`);
    const client = new Client(way);
    return await client.connect().then(
      async () => await client.end().then(() => true),
      () => false,
    );
  });
  return way;
}
