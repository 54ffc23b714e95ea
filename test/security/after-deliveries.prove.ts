import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";

import { canariesIn, keepEvidence } from "../support/canaries.ts";
import { check } from "../support/inbox-check.ts";
import { openToOthers } from "../support/process/private-files.ts";
import { end, until } from "../support/process/process.ts";
import { Project } from "../support/project/project.ts";
import {
  deliver,
  eventIds,
  formsConfig,
  ReceiverProcess,
  submission,
} from "../support/webhooks/webhooks.ts";

const timeoutMs = 240_000;

/** The files of the inbox of a state folder. */
async function inboxFiles(state: string): Promise<readonly string[]> {
  return (await readdir(state)).filter((name) => name.startsWith("inbox.db"));
}

/** The content of the inbox, including removed events. */
async function textOfInbox(state: string): Promise<string> {
  const files = await inboxFiles(state);
  const texts = files.map(async (name) => await readFile(join(state, name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}

/** The codes of all rejects. */
async function rejectedBy({ state }: Project): Promise<readonly string[]> {
  const runs = await state.runs({ limit: 100 });
  const ofRuns = runs.map(async ({ runId }) => await state.rejects({ runId, limit: 100 }));
  return (await Promise.all(ofRuns))
    .flat()
    .map(({ code }) => code)
    .toSorted();
}

describe("what deliveries leave, with canaries in their bodies, ids and secret (P18)", () => {
  it(
    "is for its owner, in no history, log, metric or answer, and goes when its time is over (T11, T12)",
    async () => {
      const yaml = formsConfig().replace("secret:", "retention: 1ms, secret:");
      const project = await Project.start(onTestFinished, { "sluice.yaml": yaml });
      const state = join(project.folder, ".sluice");
      const worker = await project.worker();
      const receiver = await ReceiverProcess.start(project, onTestFinished);
      const { address } = receiver;
      const body = submission(1);
      const conflict = submission(2);
      const deliveries = [
        { id: "1", body, answer: 202 },
        { id: "1", body, answer: 200 },
        { id: "1", body: conflict, answer: 202 },
        { id: "3", body: "7", answer: 202 },
        { id: "4", body: `${body} c4.example`, answer: 400 },
        { id: "5", body, secret: "the-secret-of-somebody-else", answer: 401 },
        { id: "not.an.id", body, answer: 400 },
      ];
      for (const { answer, ...delivery } of deliveries) {
        expect(await deliver(address, delivery)).toBe(answer);
      }
      await until(async () => (await eventIds(project)).has("event-1"));
      // SQLite's log and shared memory are there while it is used.
      expect(await inboxFiles(state)).toEqual(["inbox.db", "inbox.db-shm", "inbox.db-wal"]);
      expect(await openToOthers(state)).toEqual([]);
      for (const path of ["/metrics", "/readyz", "/livez", "/hooks/none?canary-cell"]) {
        const { body: told } = await request(`${address}${path}`);
        await keepEvidence({ what: `the receiver's ${path}`, text: await told.text() });
      }
      for (const command of ["status", "runs list", "runs show", "state show", "check forms"]) {
        expect((await project.sluice(...command.split(" "))).stdout).not.toBe("");
      }
      await until(async () => (await rejectedBy(project)).join() === "id_conflict,not_an_object");
      expect((await project.sluice("rejects", "list")).stdout).toContain("forms#");

      // It is found now, which shows that the search below would find it.
      expect(canariesIn(await textOfInbox(state))).toEqual(["cell"]);
      // The first notes which events leave, the next removes them.
      for (let times = 0; times < 2; times++) await check(project.temporal.client);
      await end(receiver.child, "SIGTERM");
      await end(worker, "SIGTERM");
      expect(canariesIn(await textOfInbox(state))).toEqual([]);
    },
    timeoutMs,
  );
});
