import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { exitCodeOfError } from "../../../src/cli/output/exit-code.ts";
import { StateUnavailableError } from "../../../src/errors.ts";
import { openDatabase } from "../../../src/state/sqlite/database.ts";
import { fillDisk } from "../../chaos/world/full-disk.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

/** The error of opening a store, as a person sees it, and the exit code. */
function faultOf(file: string): { text: string; code: number } | undefined {
  try {
    openDatabase(file).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof StateUnavailableError)) throw error;
    return { text: `${error.message} → ${error.hint}`, code: exitCodeOfError(error) };
  }
}

it("names a file in the place of the state folder, or above it", async () => {
  const file = join(await temporaryFolder(), "state");
  await writeFile(file, "");
  for (const folder of [file, join(file, "below")]) {
    const fault = faultOf(join(folder, "state.db"));
    expect(fault?.text).toContain(
      `the state folder ${folder} cannot be made: ${file} is a file → move that file away`,
    );
    expect(fault?.code).toBe(2);
  }
});

it("says of a store that is damaged what to put in its place", async () => {
  const file = join(await temporaryFolder(), "state.db");
  await writeFile(file, "This is not a database. ".repeat(100));
  const fault = faultOf(file);
  expect(fault?.text).toContain(`${file} is damaged, or is not a file of sluice → put a backup`);
  expect(fault?.code).toBe(2);
});

it("says of a full disk how many bytes are free", async () => {
  const folder = await temporaryFolder();
  const disk = await fillDisk(folder);
  onTestFinished(async () => await disk.close());
  const fault = faultOf(join(folder, "state.db"));
  // If no small disk may be mounted, a file is in the folder's place.
  const words =
    disk.means === "a full tmpfs"
      ? /^no room .*: 0 bytes free on the disk.* → make room there: waiting work continues by itself/
      : /is a file/;
  expect(fault?.text).toMatch(words);
  expect(fault?.code).toBe(2);
  await disk.free();
  expect(faultOf(join(folder, "state.db"))).toBeUndefined();
});

it("comes to an end where a folder that is there can hold no other", async () => {
  const database = new URL("../../../src/state/sqlite/database.ts", import.meta.url).href;
  const code = `const { openDatabase } = await import(${JSON.stringify(database)});
    try { openDatabase("/proc/nope/state.db"); } catch (error) { console.log(error.message); }`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
    encoding: "utf8",
    timeout: 20_000,
    killSignal: "SIGKILL",
  });
  expect(stdout).toMatch(/^the state folder \/proc\/nope cannot be /);
});

/**
 * Opens the store to read it on a disk that is mounted read-only, if that is allowed; prints its id and the result of
 * writing to it.
 */
const readsOnly = `
const { openToRead } = await import(process.argv[2]);
const db = openToRead(process.argv[1]);
let wrote = "written";
try { db.write(() => db.prepare("insert into meta (name, value) values ('x', 'y')").run()); } catch (error) { wrote =
error.message; }
console.log(JSON.stringify({ storeId: db.storeId, wrote }));
`;

it("is read where the state folder cannot be written", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "state.db");
  const made = openDatabase(file);
  const { storeId } = made;
  made.close();
  const database = new URL("../../../src/state/sqlite/database.ts", import.meta.url).href;
  const node = [process.execPath, "--input-type=module", "--eval", readsOnly, file, database];
  const mount = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`;
  const ways = [["unshare", "-rm", "sh", "-c", mount, folder, ...node], node];
  const ran = ways.map(([program = "", ...args]) =>
    spawnSync(program, args, { encoding: "utf8", timeout: 60_000 }),
  );
  const [mounted, plain] = ran;
  expect(JSON.parse(plain?.stdout ?? "")).toEqual({ storeId, wrote: "written" });
  // Only if a disk may be mounted.
  if (/^(?:unshare|mount): /m.test(mounted?.stderr ?? "unshare: ")) return;
  const wrote = "attempt to write a readonly database";
  expect(mounted?.stdout).toBe(`${JSON.stringify({ storeId, wrote })}\n`);
});

it("makes the folders above the state folder", async () => {
  const folder = join(await temporaryFolder(), "one");
  await mkdir(folder);
  expect(faultOf(join(folder, "two", "three", "state.db"))).toBeUndefined();
});
