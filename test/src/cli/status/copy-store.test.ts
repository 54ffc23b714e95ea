import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { copyStoreOf } from "../../../../src/cli/status/copy-store.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { accountsConfig } from "../../../support/project/project.ts";
import { newServer } from "../../state/copy/support.ts";

it("a copy says in lines of its own what was moved, and what is left to do", async () => {
  const cwd = await temporaryFolder();
  const { url, schema } = await newServer();
  const store = JSON.stringify({ url: url.reveal(), schema, project: "p" });
  await writeFile(join(cwd, "sluice.yaml"), `${accountsConfig()}store: ${store}\n`);
  const printed: string[] = [];
  const silent = { say: () => undefined, exit: () => undefined };
  const environment = readEnvironment({
    SLUICE_BASE_URL: "sandbox",
    SLUICE_LEGACY_BASE_URL: "sandbox",
  });
  const print = (text: string): void => void printed.push(...text.split("\n"));
  await copyStoreOf({ to: "postgres" }, { ...silent, print, environment, cwd });
  expect(printed).toEqual([
    expect.stringContaining("→ the state store in"),
    expect.stringContaining("counted on both sides"),
    expect.stringMatching(/^store [\da-f-]{36}$/),
    expect.stringContaining("have `store` in sluice.yaml name it"),
    expect.stringContaining("sluice schedule apply"),
  ]);
  await copyStoreOf({ to: "postgres" }, { ...silent, print, environment, cwd });
  expect(printed.at(-1)).toMatch(/^nothing to do: /);
});
