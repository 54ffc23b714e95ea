// Finds a Postgres server for the tests that need one, or installs Debian's.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { say } from "./child.mjs";
import { installFromDebian } from "./debian.mjs";

const binariesFolder = "/usr/lib/postgresql";

/**
 * Does nothing if PG_URL names a server or the server's programs are installed; otherwise installs Debian's
 * package, or says what to do: tests that need no database run without it.
 */
export async function getPostgres(options) {
  if (options.env.PG_URL || isInstalled()) return;
  await installFromDebian("postgresql", options);
  if (isInstalled()) return;
  say(
    "some tests need a Postgres server: install it (Debian: sudo apt-get install postgresql), or " +
      "set PG_URL to a database of a superuser",
  );
}

/** The same for PgBouncer, through which one test of `prove` uses the store. */
export async function getPgBouncer(options) {
  if (!existsSync("/usr/sbin/pgbouncer")) await installFromDebian("pgbouncer", options);
}

function isInstalled() {
  const versions = existsSync(binariesFolder) ? readdirSync(binariesFolder) : [];
  return versions.some((version) => existsSync(join(binariesFolder, version, "bin", "postgres")));
}
