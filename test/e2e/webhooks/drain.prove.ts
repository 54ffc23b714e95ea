import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import type { Delivery, Inbox } from "../../../src/inbox/inbox.ts";
import { openInbox } from "../../../src/inbox/open.ts";
import { createDoorbell, type Doorbell } from "../../../src/webhooks/doorbell.ts";
import type { Drained, inboxDrain } from "../../../workflows/inbox/inbox-drain.ts";
import { end, until } from "../../support/process/process.ts";
import { Project, projectHead } from "../../support/project/project.ts";
import { sweep } from "../../support/sweep.ts";

const timeoutMs = 240_000;
const drainId = "inbox-forms";

/** Syncs of accounts that read the connection `forms`, by their names: more members of each. */
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

/** A project with a worker, an inbox and a doorbell: all of a receiver but its server. */
class Posted {
  readonly project: Project;
  readonly #inbox: Inbox;
  readonly #doorbell: Doorbell;

  private constructor(parts: { project: Project; inbox: Inbox; doorbell: Doorbell }) {
    this.project = parts.project;
    this.#inbox = parts.inbox;
    this.#doorbell = parts.doorbell;
  }

  static async start(files: Readonly<Record<string, string>>): Promise<Posted> {
    const project = await Project.start(onTestFinished, files);
    const inbox = await openInbox(`${project.folder}/.sluice`);
    onTestFinished(async () => await inbox.close());
    const log = { info: () => undefined, warn: () => undefined };
    const connect = async (): Promise<typeof project.temporal.client> => project.temporal.client;
    const doorbell = createDoorbell({ connect, taskQueue: "sluice", log });
    return new Posted({ project, inbox, doorbell });
  }

  /** Keeps the events from one number up to before another, and rings when it is this delivery that must. */
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
    if (doesRing && verdicts.some(({ ring }) => ring)) this.#doorbell.ring("forms");
  }

  /** Waits until the service holds so many accounts. */
  async arrived(count: number): Promise<void> {
    await until(async () => (await this.project.records()).size === count);
  }

  /** Waits until the drain has ended; answers what it did. */
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

  async sweep(): Promise<void> {
    await sweep(this.project.temporal.client);
  }

  async waiting(): Promise<number> {
    return (await this.#inbox.standings())[0]?.waiting ?? 0;
  }
}

const accounts = { accounts: "" };

describe("a drain", () => {
  it(
    "sends what rang within a moment, a trickle lightweight, and ends when nothing is left",
    async () => {
      const posted = await Posted.start({ "sluice.yaml": config(accounts) });
      await posted.project.worker();
      await posted.post(0);
      await posted.arrived(1);
      expect(await posted.drained()).toEqual({ connection: "forms", runs: 1, shut: null });
      for (let event = 1; event <= 20; event++) {
        await posted.post(event);
        await delay(50);
      }
      await posted.arrived(21);
      await posted.drained();
      const runs = await posted.project.state.runs({ limit: 50 });
      expect(runs.length).toBeLessThan(21);
      for (const run of runs) {
        expect(run).toMatchObject({ kind: "inbox", outcome: "done", mode: "lightweight" });
      }
      expect(await posted.waiting()).toBe(0);
      expect((await posted.project.sluice("schedule", "list")).stdout).toContain(
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
      const posted = await Posted.start({
        "sluice.yaml": config({ accounts: "", others: other }),
      });
      // Nobody rings: the sweep at the worker's start does.
      await posted.post(0, 50_000, false);
      await posted.project.worker();
      await posted.arrived(100_000);
      expect(await posted.drained()).toEqual({ connection: "forms", runs: 2, shut: null });
      for (const run of await posted.project.state.runs({ limit: 5 })) {
        expect(run).toMatchObject({ mode: "heavyweight", outcome: "done" });
      }
      expect(await posted.waiting()).toBe(0);
    },
    timeoutMs,
  );

  it(
    "ends when the key is refused, is started by nobody while events come, and by the sweep once it is reset",
    async () => {
      const posted = await Posted.start({ "sluice.yaml": config(accounts) });
      const { sandbox } = posted.project;
      await posted.project.worker();
      sandbox.order({ step: "upload-json", do: { status: 401, body: { message: "no" } } });
      await posted.post(0);
      expect((await posted.drained()).shut).toContain("was refused before");
      for (let event = 1; event <= 30; event++) await posted.post(event);
      await posted.sweep();
      await posted.sweep();
      await posted.drained();
      expect(await posted.executions()).toBeLessThanOrEqual(3);
      expect((await posted.project.records()).size).toBe(0);

      expect((await posted.project.sluice("rate-limit", "reset")).code).toBe(0);
      await posted.sweep();
      await posted.arrived(31);
      await posted.drained();
      expect(await posted.waiting()).toBe(0);
      await posted.post(31);
      await posted.arrived(32);
    },
    timeoutMs,
  );

  it(
    "lets a sync rest whose mapping module is gone, and sends for the other",
    async () => {
      const posted = await Posted.start({
        "sluice.yaml": config({ broken: "record: ./map.ts", accounts: "" }),
        "map.ts":
          "export const mapRecord = (row) => ({ account_id: row.id, domain: row.domain });\n",
      });
      await posted.project.worker();
      await posted.project.write("map.ts", "export const mapRecord = 7;\n");
      for (let event = 0; event < 3; event++) {
        await posted.post(event);
        await posted.arrived(event + 1);
      }
      const runs = await posted.project.state.runs({ sync: "broken", limit: 10 });
      expect(runs).toMatchObject([{ outcome: "failed" }]);
      const { client } = posted.project.temporal;
      const handle = client.workflow.getHandle(drainId);
      expect((await handle.describe()).status.name).toBe("RUNNING");
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow("Workflow execution cancelled");
    },
    timeoutMs,
  );

  it(
    "goes on when its worker is killed, and continues as new when it is long, with nothing lost",
    async () => {
      const yaml = config({ accounts: "chunk: { records: 1000 }" }, ", chunks_per_run: 2");
      const posted = await Posted.start({ "sluice.yaml": yaml });
      const first = await posted.project.worker();
      // It is killed before it knows that its second chunk was taken.
      posted.project.sandbox.order({ step: "confirm-upload", after: 1, do: { dropReply: true } });
      await posted.post(0, 7_000);
      await until(async () => {
        const taken = (await posted.project.ledger()).filter(({ applied }) => applied);
        return taken.length >= 2;
      });
      await end(first, "SIGKILL");
      await posted.post(7_000, 7_010);
      await posted.project.worker();
      await posted.arrived(7_010);
      await posted.drained();
      expect(await posted.executions()).toBeGreaterThan(2);
      expect(await posted.waiting()).toBe(0);
      const reports = (await posted.project.sluice("runs", "list", "--json")).stdout;
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
    "hears what rings while it ends",
    async () => {
      const posted = await Posted.start({ "sluice.yaml": config(accounts) });
      await posted.project.worker();
      // The drain ends some 200 ms after its last run: rings fall before, into and after its end.
      for (let event = 0; event < 15; event++) {
        await posted.post(event);
        await posted.arrived(event + 1);
        await delay(event * 30);
      }
      await posted.drained();
      expect(await posted.waiting()).toBe(0);
    },
    timeoutMs,
  );

  it(
    "cancels cleanly, and the sweep has the rest sent",
    async () => {
      const posted = await Posted.start({
        "sluice.yaml": config({ accounts: "chunk: { records: 1000 }" }),
      });
      await posted.project.worker();
      posted.project.sandbox.order({ step: "put", after: 1, do: { delayMs: 30_000 } });
      await posted.post(0, 3_000);
      await until(async () =>
        (await posted.project.ledger()).some(({ step }) => step === "confirm-upload"),
      );
      const [run] = await posted.project.state.runs({ limit: 1 });
      const cancelled = await posted.project.sluice("cancel", run?.runId ?? "");
      expect(cancelled.stdout).toBe(`asked ${drainId} to stop\n`);
      await expect(posted.drained()).rejects.toThrow("Workflow execution cancelled");
      expect(await posted.project.state.run(run?.runId ?? "")).toMatchObject({
        outcome: "cancelled",
      });
      await posted.sweep();
      await posted.arrived(3_000);
    },
    timeoutMs,
  );
});

const listedRun = z.object({
  balanced: z.boolean(),
  kind: z.string(),
  counts: z.object({ sent: z.int() }),
});
