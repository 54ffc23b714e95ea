import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { configOf } from "../../../../src/cli/output/context.ts";
import { useService } from "../../../../src/cli/running/services.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { accountsConfig } from "../../../support/project/project.ts";

const { PATH, HOME } = process.env;

/** Uses the sandbox of a new project, and returns its address. */
async function sandboxOf(folder: string): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, "sluice.yaml"), accountsConfig());
  const variables = { PATH, HOME, SLUICE_BASE_URL: "sandbox", SLUICE_LEGACY_BASE_URL: "sandbox" };
  const silent = { print: () => undefined, say: () => undefined, exit: () => undefined };
  const context = { ...silent, environment: readEnvironment(variables), cwd: folder };
  const { addresses, release } = await useService(await configOf(context, {}), context);
  onTestFinished(release);
  return addresses.baseUrl.href;
}

it("gives each of several projects that begin at once a sandbox of its own", async () => {
  const folder = await temporaryFolder();
  const names = ["a", "b", "c", "d"];
  const addresses = await Promise.all(
    names.map(async (name) => await sandboxOf(join(folder, name))),
  );
  expect(new Set(addresses).size).toBe(names.length);
});
