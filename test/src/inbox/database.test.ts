import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { StateUnavailableError } from "../../../src/errors.ts";
import { openInboxDatabase } from "../../../src/inbox/database.ts";
import { transactionRowsMax } from "../../../src/limits.ts";
import { numbers } from "../../support/sequences.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { delivery, one, receivedAt } from "./deliveries.ts";

describe("openInboxDatabase", () => {
  it("makes files for this user alone", async () => {
    const folder = join(await temporaryFolder(), "state");
    const file = join(folder, "inbox.db");
    const inbox = openInboxDatabase(file);
    onTestFinished(() => inbox.close());
    const modes = [folder, file, `${file}-wal`, `${file}-shm`].map((path) => statSync(path).mode);
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it("overwrites what it removes", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const inbox = openInboxDatabase(file);
    inbox.keep([one("a", '"someone@example.com"')]);
    inbox.close();
    expect(readFileSync(file, "latin1")).toContain("someone@example.com");
    const again = openInboxDatabase(file);
    again.prune({ connection: "forms", upTo: 1, receivedBefore: receivedAt + 1 });
    again.close();
    expect(readFileSync(file, "latin1")).not.toContain("someone@example.com");
  });

  it("keeps no id as it came", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const inbox = openInboxDatabase(file);
    inbox.keep([one("someone@example.com", "{}")]);
    inbox.close();
    expect(readFileSync(file, "latin1")).not.toContain("someone");
  });

  it("keeps one delivery that has more events than a transaction otherwise", async () => {
    const inbox = openInboxDatabase(join(await temporaryFolder(), "inbox.db"));
    onTestFinished(() => inbox.close());
    const many = numbers(transactionRowsMax + 1).map((index) => ({ json: `${index}` }));
    expect(inbox.keep([delivery(many)])).toEqual([{ kept: many.length, ring: true }]);
  });

  it("opens its file anew after a fault, and takes no other inbox for it", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const before = openInboxDatabase(file);
    before.keep([one("a")]);
    before.close();
    const sound = readFileSync(file);
    const inbox = openInboxDatabase(file);
    onTestFinished(() => inbox.close());
    const read = (): number => inbox.read({ connection: "forms", after: 0, limit: 10 }).length;

    // All but the first page, which it has read.
    writeFileSync(file, Buffer.from(sound).fill("x", 4096));
    expect(read).toThrow(StateUnavailableError);
    expect(read).toThrow(StateUnavailableError);

    for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true });
    openInboxDatabase(file).close();
    expect(read).toThrow("another inbox");

    writeFileSync(file, sound);
    expect(read()).toBe(1);
    expect(inbox.keep([one("b")])).toEqual([{ kept: 1, ring: false }]);
  });
});
