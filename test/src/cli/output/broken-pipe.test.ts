import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

import { expect, it } from "vitest";

const output = new URL("../../../../src/cli/output/output.ts", import.meta.url).href;

it("does not end a command whose progress nobody reads any more", async () => {
  const code = `
    import { endWithPipe, output } from ${JSON.stringify(output)};
    endWithPipe();
    process.stdin.once("data", () => {
      output.say("1 row read");
      setTimeout(() => output.exit(3), 50);
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code]);
  child.stderr.destroy();
  child.stdin.end("go\n");
  expect(await once(child, "exit")).toEqual([3, null]);
});

/** How a command ends that prints a line, and a second one after its reader has left; it would end with 3. */
async function endWithoutReader(statement: string): Promise<unknown> {
  const code = `
    import { endWithPipe, outliveReader, output } from ${JSON.stringify(output)};
    endWithPipe();
    ${statement}
    process.stdin.once("data", () => {
      output.print("a: failed");
      setTimeout(() => output.print("b: done"), 50);
      setTimeout(() => output.exit(3), 100);
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code]);
  child.stdout.destroy();
  child.stdin.end("go\n");
  return await once(child, "exit");
}

it("ends a list once nobody reads it", async () => {
  expect(await endWithoutReader("void outliveReader;")).toEqual([0, null]);
});

it("does not end what moves data once nobody reads its reports", async () => {
  expect(await endWithoutReader("outliveReader();")).toEqual([3, null]);
});

it("says once that what it prints cannot be written, goes on, and ends with 1", async () => {
  const code = `
    import { endWithPipe, output } from ${JSON.stringify(output)};
    endWithPipe();
    output.print("a report");
    setTimeout(() => {
      output.print("more of it");
      output.say("1 row read");
      output.exit(0);
    }, 50);`;
  const command = 'exec "$0" --input-type=module -e "$1" >/dev/full';
  const child = spawn("sh", ["-c", command, process.execPath, code]);
  const [told, ended] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(told.split("\n")).toEqual([
    expect.stringMatching(
      /^sluice: the output of this command could not be written: ENOSPC: no space/,
    ),
    expect.stringContaining("Free space where its output goes"),
    "sluice: 1 row read",
    "",
  ]);
  expect(ended).toEqual([1, null]);
});
