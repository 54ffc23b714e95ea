import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Checked } from "../bench/bounds.ts";
import { publish, say, table } from "../bench/report.ts";
import { triedCell, webUiRows } from "../bench/workloads/web-ui-rows.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Does everything that the Web UI offers for every kind of run in every phase, through the client. */
export async function proveWebUi(folder: string): Promise<readonly Checked[]> {
  say("what the Web UI offers, for every kind of run in every phase");
  const file = join(folder, "cells.jsonl");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "test/web-ui/matrix.prove.ts"], {
    cwd: root,
    env: { ...process.env, SLUICE_WEB_UI: file },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(child, "exit");
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  const cells = lines.map((line) => triedCell.parse(JSON.parse(line)));
  await publish("web-ui", table(webUiRows(cells)), "operations");
  return [...new Set(cells.map(({ kind }) => kind))].map((kind): Checked => {
    const own = cells.filter((cell) => cell.kind === kind && cell.told !== null);
    const broken = own.filter(({ violations }) => violations.length > 0);
    const which = broken.map(({ phase, action }) => `, ${phase}: ${action}`).join("");
    return {
      what: `Web UI: ${kind}`,
      bound: "nothing lost, nothing older kept, nothing hangs, the next run is done",
      measured: `${own.length} cells, ${broken.length} broken${which}`,
      holds: child.exitCode === 0 && broken.length === 0,
    };
  });
}
