import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import type { Delivery, Inbox } from "../../../src/inbox/inbox.ts";
import { openSqliteInbox } from "../../../src/inbox/sqlite/open.ts";
import { createDrainNotifier, type DrainNotifier } from "../../../src/webhooks/drain-notifier.ts";
import type { Drained, inboxDrain } from "../../../workflows/inbox/inbox-drain.ts";
import { check } from "../../support/inbox-check.ts";
import { end, until } from "../../support/process/process.ts";
import { Project, projectHead } from "../../support/project/project.ts";

const timeoutMs = 240_000;
const drainId = "inbox-forms";

/** Syncs of accounts that read the connection `forms`: by name, additional members of each. */
function config(syncs: Readonly<Record<string, string>>, advanced = ""): string {
  const texts = Object.entries(syncs).map(
    ([name, more]) => `  ${name}:
    from: forms
    stream: account
    send: all
    ${more.includes("record:") ? "" : "record: { account_id: id, domain: domain, account_properties: { name: name } }"}
    ${more}
`,
  );
  return `${projectHead}connections:
  forms: { connector: webhook, path: /hooks/forms, signature: none, allow_unsigned: true, linger: 100ms }
syncs:
${texts.join("")}
advanced: { heartbeat_timeout: 3s, retry_initial: 500ms${advanced} }
`;
}

/** A project with a worker, an inbox and a notifier: a receiver except for its server. */
class Pushed {
  readonly project: Project;
  readonly #inbox: Inbox;
  readonly #notifier: DrainNotifier;

  private constructor(parts: { project: Project; inbox: Inbox; notifier: DrainNotifier }) {
    this.project = parts.project;
    this.#inbox = parts.inbox;
    this.#notifier = parts.notifier;
  }

  static async start(files: Readonly<Record<string, string>>): Promise<Pushed> {
    const project = await Project.start(onTestFinished, files);
    const inbox = await openSqliteInbox(`${project.folder}/.sluice`);
    onTestFinished(async () => await inbox.close());
    const log = { info: () => undefined, warn: () => undefined };
    const connect = async (): Promise<typeof project.temporal.client> => project.temporal.client;
    const notifier = createDrainNotifier({ connect, taskQueue: "sluice", log });
    return new Pushed({ project, inbox, notifier });
  }

  /** Keeps the events from one number to before another, and sends the wake-up if this delivery must. */
  async post(from: number, before = from + 1, doesRing = true): Promise<void> {
    const events = Array.from({ length: before - from }, (_, index) => ({
      json: JSON.stringify({ id: `a${from + index}`, domain: "c.example", name: "n" }),
    }));
    const receivedAt = Date.now();
    const steps = Math.ceil(events.length / 1_000);
    const deliveries = Array.from({ length: steps }, (_, step): Delivery => {
      return {
        connection: "forms",
        receivedAt,
        events: events.slice(step * 1_000).slice(0, 1_000),
      };
    });
    const verdicts = await Promise.all(
      deliveries.map(async (delivery) => await this.#inbox.keep(delivery)),
    );
    if (doesRing && verdicts.some(({ wake }) => wake)) this.#notifier.wake("forms");
  }

  /** Waits until the service holds this many accounts. */
  async arrived(count: number): Promise<void> {
    await until(async () => (await this.project.records()).size === count);
  }

  /** Waits until the drain has ended. Returns what it did. */
  async drained(): Promise<Drained> {
    await until(async () => (await this.executions()) > 0);
    const { workflow } = this.project.temporal.client;
    return await workflow.getHandle<typeof inboxDrain>(drainId).result();
  }

  /** Executions of the drain so far. */
  async executions(): Promise<number> {
    return await this.project.temporal.client.workflow
      .count(`WorkflowId="${drainId}"`)
      .then(({ count }) => count);
  }

  async check(): Promise<void> {
    await check(this.project.temporal.client);
  }

  async waiting(): Promise<number> {
    return (await this.#inbox.backlogs())[0]?.waiting ?? 0;
  }
}

const accounts = { accounts: "" };

describe("a drain", () => {
  it(
    "sends what rang within a moment, a trickle lightweight, and ends when nothing is left",
    async () => {
      const pushed = await Pushed.start({ "sluice.yaml": config(accounts) });
      await pushed.project.worker();
      await pushed.post(0);
      await pushed.arrived(1);
      expect(await pushed.drained()).toEqual({ connection: "forms", runs: 1, blocked: null });
      for (let event = 1; event <= 20; event++) {
        await pushed.post(event);
        await delay(50);
      }
      await pushed.arrived(21);
      await pushed.drained();
      const runs = await pushed.project.state.runs({ limit: 50 });
      expect(runs.length).toBeLessThan(21);
      for (const run of runs) {
        expect(run).toMatchObject({ kind: "inbox", outcome: "done", mode: "lightweight" });
      }
      expect(await pushed.waiting()).toBe(0);
      expect((await pushed.project.sluice("schedule", "list")).stdout).toContain(
        "nothing is scheduled",
      );
    },
    timeoutMs,
  );

  it(
    "sends a backlog of 50,000 events as a file, for each of two syncs",
    async () => {
      const other =
        'record: { account_id: { template: "b{id}" }, domain: domain, account_properties: {} }';
      const pushed = await Pushed.start({
        "sluice.yaml": config({ accounts: "", others: other }),
      });
      // Nobody sends a wake-up: the check at the worker's start finds the events.
      await pushed.post(0, 50_000, false);
      await pushed.project.worker();
      await pushed.arrived(100_000);
      expect(await pushed.drained()).toEqual({ connection: "forms", runs: 2, blocked: null });
      for (const run of await pushed.project.state.runs({ limit: 5 })) {
        expect(run).toMatchObject({ mode: "heavyweight", outcome: "done" });
      }
      expect(await pushed.waiting()).toBe(0);
    },
    timeoutMs,
  );

  it(
    "ends when the key is refused, is started by nobody while events come, and by the check once it is reset",
    async () => {
      const pushed = await Pushed.start({ "sluice.yaml": config(accounts) });
      const { sandbox } = pushed.project;
      await pushed.project.worker();
      sandbox.order({ step: "upload-json", do: { status: 401, body: { message: "no" } } });
      await pushed.post(0);
      expect((await pushed.drained()).blocked).toContain("was refused before");
      for (let event = 1; event <= 30; event++) await pushed.post(event);
      await pushed.check();
      await pushed.check();
      await pushed.drained();
      expect(await pushed.executions()).toBeLessThanOrEqual(3);
      expect((await pushed.project.records()).size).toBe(0);

      expect((await pushed.project.sluice("rate-limit", "reset")).code).toBe(0);
      await pushed.check();
      await pushed.arrived(31);
      await pushed.drained();
      expect(await pushed.waiting()).toBe(0);
      await pushed.post(31);
      await pushed.arrived(32);
    },
    timeoutMs,
  );

  it(
    "lets a sync rest whose mapping module is gone, and sends for the other",
    async () => {
      const pushed = await Pushed.start({
        "sluice.yaml": config({ broken: "record: ./map.ts", accounts: "" }),
        "map.ts":
          "export const mapRecord = (row) => ({ account_id: row.id, domain: row.domain });\n",
      });
      await pushed.project.worker();
      await pushed.project.write("map.ts", "export const mapRecord = 7;\n");
      for (let event = 0; event < 3; event++) {
        await pushed.post(event);
        await pushed.arrived(event + 1);
      }
      const runs = await pushed.project.state.runs({ sync: "broken", limit: 10 });
      expect(runs).toMatchObject([{ outcome: "failed" }]);
      const { client } = pushed.project.temporal;
      const handle = client.workflow.getHandle(drainId);
      expect((await handle.describe()).status.name).toBe("RUNNING");
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow("Workflow execution cancelled");
    },
    timeoutMs,
  );

  it(
    "continues when its worker is killed, and continues as new when it is long, with nothing lost",
    async () => {
      const yaml = config({ accounts: "chunk: { records: 1000 }" }, ", chunks_per_run: 2");
      const pushed = await Pushed.start({ "sluice.yaml": yaml });
      const first = await pushed.project.worker();
      // It is killed before it learns that its second chunk was taken.
      pushed.project.sandbox.order({ step: "confirm-upload", after: 1, do: { dropReply: true } });
      await pushed.post(0, 7_000);
      await until(async () => {
        const taken = (await pushed.project.ledger()).filter(({ applied }) => applied);
        return taken.length >= 2;
      });
      await end(first, "SIGKILL");
      await pushed.post(7_000, 7_010);
      await pushed.project.worker();
      await pushed.arrived(7_010);
      await pushed.drained();
      expect(await pushed.executions()).toBeGreaterThan(2);
      expect(await pushed.waiting()).toBe(0);
      const reports = (await pushed.project.sluice("runs", "list", "--json")).stdout;
      const listed = reports
        .trim()
        .split("\n")
        .map((line) => listedRun.parse(JSON.parse(line)));
      expect(listed.every(({ balanced, kind }) => balanced && kind === "inbox")).toBe(true);
      expect(listed.reduce((sum, { counts }) => sum + counts.sent, 0)).toBe(7_010);
    },
    timeoutMs,
  );

  it(
    "hears what wakes while it ends",
    async () => {
      const pushed = await Pushed.start({ "sluice.yaml": config(accounts) });
      await pushed.project.worker();
      // The drain ends some 200 ms after its last run: wake-ups come before, during and after its end.
      for (let event = 0; event < 15; event++) {
        await pushed.post(event);
        await pushed.arrived(event + 1);
        await delay(event * 30);
      }
      await pushed.drained();
      expect(await pushed.waiting()).toBe(0);
    },
    timeoutMs,
  );

  it(
    "cancels cleanly, and the check has the rest sent",
    async () => {
      const pushed = await Pushed.start({
        "sluice.yaml": config({ accounts: "chunk: { records: 1000 }" }),
      });
      await pushed.project.worker();
      pushed.project.sandbox.order({ step: "put", after: 1, do: { delayMs: 30_000 } });
      await pushed.post(0, 3_000);
      await until(async () =>
        (await pushed.project.ledger()).some(({ step }) => step === "confirm-upload"),
      );
      const [run] = await pushed.project.state.runs({ limit: 1 });
      const cancelled = await pushed.project.sluice("cancel", run?.runId ?? "");
      expect(cancelled.stdout).toBe(`asked ${drainId} to stop\n`);
      await expect(pushed.drained()).rejects.toThrow("Workflow execution cancelled");
      expect(await pushed.project.state.run(run?.runId ?? "")).toMatchObject({
        outcome: "cancelled",
      });
      await pushed.check();
      await pushed.arrived(3_000);
    },
    timeoutMs,
  );
});

const listedRun = z.object({
  balanced: z.boolean(),
  kind: z.string(),
  counts: z.object({ sent: z.int() }),
});
