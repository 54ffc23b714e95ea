import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import axe from "axe-core";
import { chromium, type Browser, type Locator, type Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { sources } from "../../connectors/registry.ts";
import { targetOf, type Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openSqliteInbox } from "../../src/inbox/sqlite/open.ts";
import { openStateStore } from "../../src/state/open.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import { chromiumProgram } from "../support/chromium.ts";
import { memoryFolder } from "../support/process/temporary-folder.ts";
import { pictures } from "../support/temporal/web-ui-project.ts";
import { nightlyYaml, writeFortyNights } from "../support/ui/forty-nights.ts";
import { writePastRun } from "../support/ui/history.ts";
import { openUi } from "../support/ui/open-ui.ts";

const timeoutMs = 300_000;

const faults = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);

const views = {
  overview: "/",
  runs: "/runs?sync=accounts",
  run: "/runs/accounts-night-40",
  rejects: "/rejects?sync=accounts",
  record: `/record?${new URLSearchParams({ sync: "accounts", name: "./accounts.csv:2" }).toString()}`,
  held: "/held",
};

type NightlyProject = {
  readonly folder: string;
  readonly deps: { readonly config: Config };
  readonly state: StateStore;
  readonly target: string;
};

/** The project of the screenshots: forty nights of three syncs and a pull, a held run, and waiting events. */
async function openNights(): Promise<NightlyProject> {
  const folder = await memoryFolder();
  await writeFile(join(folder, "sluice.yaml"), nightlyYaml);
  await writeFile(join(folder, "accounts.csv"), "id,domain,name\nc-1,one.example,One Ltd\n");
  const env = { SLUICE_API_KEY: "a-key-that-no-page-shows" };
  const config = await loadConfig({ cwd: folder, env, connectors: sources });
  const state = await openStateStore(config);
  onTestFinished(async () => await state.close());
  const target = targetOf(config.api);
  await writeFortyNights(state, target, Date.now());
  const inbox = await openSqliteInbox(config.stateFolder);
  const events = Array.from({ length: 240 }, (_, at) => ({ json: `{"id":"e-${at}"}` }));
  await inbox.keep({ connection: "forms", receivedAt: Date.now() - 60_000, events });
  await inbox.close();
  return { folder, deps: { config }, state, target };
}

async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: chromiumProgram() });
  onTestFinished(async () => await browser.close());
  return browser;
}

/** The faults that axe finds on a page; evaluated by the browser itself, which the page's policy does not forbid. */
async function faultsOn(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  const result: unknown = await page.evaluate(
    `axe.run(document).then(({ violations }) => violations)`,
  );
  return faults.parse(result).map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

describe("sluice ui in a browser", () => {
  it(
    "shows each view, light and dark, in which axe finds nothing and no policy is broken",
    async () => {
      const { address } = await openUi(await openNights());
      const browser = await openBrowser();
      const folder = await pictures();
      for (const colorScheme of ["light", "dark"] as const) {
        const viewport = { width: 1280, height: 900 };
        const context = await browser.newContext({ baseURL: address.href, colorScheme, viewport });
        const page = await context.newPage();
        const said: string[] = [];
        page.on("console", (message) => void said.push(message.text()));
        page.on("dialog", (dialog) => void said.push(dialog.message()));
        for (const [name, place] of Object.entries(views)) {
          const answer = await page.goto(place);
          expect([name, answer?.status()]).toEqual([name, 200]);
          const bytes = (await answer?.body())?.length ?? 0;
          expect(bytes).toBeLessThan(100_000);
          expect([name, colorScheme, await faultsOn(page)]).toEqual([name, colorScheme, []]);
          const path = join(folder, `ui-${name}-${colorScheme}.png`);
          // The others are long lists.
          await page.screenshot({ path, fullPage: name === "run" || name === "held" });
        }
        expect(said).toEqual([]);
        await context.close();
      }
    },
    timeoutMs,
  );

  it(
    "is used by keyboard, and without JavaScript",
    async () => {
      const { address } = await openUi(await openNights());
      const browser = await openBrowser();
      const context = await browser.newContext({ baseURL: address.href, javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto("/");
      await page.keyboard.press("Tab");
      expect(await page.locator(":focus").textContent()).toBe("Skip to the content");
      await page.getByRole("link", { name: "Record" }).focus();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/record");
      await page.getByLabel("Key, or place").fill("./accounts.csv:2");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/record?*");
      expect(await page.locator("main").textContent()).toContain("sends it: it was never accepted");
      await page.goto("/rejects");
      await page.getByLabel("Sync or pull").selectOption("contacts");
      await page.getByRole("button", { name: "Show" }).click();
      await page.waitForURL("**/rejects?*sync=contacts*");
      expect(await page.locator("tbody tr").count()).toBe(50);
      await page.getByRole("link", { name: "older ones" }).click();
      await page.waitForURL("**/rejects?*after=*");
      expect(await page.locator("tbody tr").count()).toBe(50);
    },
    timeoutMs,
  );

  it(
    "shows how a run goes on without being loaded again",
    async () => {
      const project = await openNights();
      const { state, target } = project;
      const runId = "contacts-now";
      const startedMs = Date.now() - 5_000;
      await writePastRun(state, { runId, target, sync: "contacts", startedMs, chunks: [] });
      const { address } = await openUi(project);
      const browser = await openBrowser();
      const page = await browser.newPage({ baseURL: address.href });
      await page.goto(`/runs/${runId}`);
      await page.evaluate("window.isSame = true");
      const heading = (name: string): Locator => page.getByRole("heading", { name, exact: true });
      await heading("0 rows read so far").waitFor();
      const { stage } = await state.beginStaging({ runId, chunk: 1, host: "1" });
      const counts = { read: 1_234, records: 1_000, unchanged: 234, filtered: 0, rejected: 0 };
      await state.noteStage({ runId, chunk: 1, stage, counts, to: null });
      await heading("1,234 rows read so far").waitFor({ timeout: 20_000 });
      expect(await page.evaluate("window.isSame")).toBe(true);
    },
    timeoutMs,
  );
});
