import { randomBytes } from "node:crypto";

import { onTestFinished } from "vitest";

import type { TestDatabase } from "../../support/postgres/postgres.ts";

/** A test's own role. */
export type TestRole = {
  readonly name: string;
  /** Logs in as this role. */
  readonly url: string;
};

/** Makes a role that may log in and has these grants; it is dropped with its test. */
export async function roleOf(
  db: TestDatabase,
  grants: (name: string) => string,
): Promise<TestRole> {
  const name = `sluice_role_${randomBytes(6).toString("hex")}`;
  await db.query(`create role ${name} login password 'role'`);
  // Roles belong to the server, not to the database, so they outlive it.
  onTestFinished(async () => void (await db.query(`drop owned by ${name}; drop role ${name}`)));
  await db.query(grants(name));
  return { name, url: db.urlOf(name, "role") };
}
