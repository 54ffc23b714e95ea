import { expect, it, onTestFinished } from "vitest";

import { postgres } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { Project } from "../../support/project/project.ts";
import { numbers } from "../../support/sequences.ts";
import {
  arrived,
  eventIds,
  formsConfig,
  postSubmission,
  ReceiverProcess,
  takenInAll,
} from "../../support/webhooks/webhooks.ts";

const posters = 6;
const eventsOfEach = 20;

it("two receivers with one store: every 2xx is in the service once, though one of them is killed", async () => {
  const { url } = await postgres();
  const yaml = formsConfig().replace(
    "connections:",
    'store: { url: "${STORE_URL}", project: p }\nconnections:',
  );
  const project = await Project.start(onTestFinished, { "sluice.yaml": yaml });
  Object.assign(project.env, { STORE_URL: url });
  expect((await project.sluice("store", "migrate")).code).toBe(0);
  const env = { SLUICE_STATE_DIR: ".other-host" };
  const receivers = await Promise.all([
    ReceiverProcess.start(project, onTestFinished),
    ReceiverProcess.start(project, onTestFinished, { env }),
  ]);
  const [killed] = receivers;
  let acknowledged = 0;
  let unanswered = 0;
  /** Posts an event to both receivers in turn until it is acknowledged, as senders behind a load balancer do. */
  const post = async (n: number): Promise<void> => {
    for (let tried = n; ; tried += 1) {
      const status = await postSubmission(receivers[tried % 2]?.address ?? "", n).catch(
        () => undefined,
      );
      if (status !== undefined && status < 300) break;
      if (status === undefined) unanswered += 1;
      else if (status !== 503) throw new Error(`a receiver answered ${status}`);
    }
    acknowledged += 1;
    if (acknowledged === posters * 5) killed?.child.kill("SIGKILL");
  };
  await Promise.all(
    numbers(posters).map(async (poster) => {
      for (const n of numbers(eventsOfEach)) await post(poster * eventsOfEach + n);
    }),
  );
  expect([acknowledged, unanswered > 0]).toEqual([posters * eventsOfEach, true]);
  const waiting = await project.sluice("status");
  expect(waiting.stdout).toMatch(new RegExp(`^forms +/hooks/forms +${acknowledged} `, "m"));

  await project.worker();
  await arrived(project, acknowledged);
  expect(await takenInAll(project)).toBe(acknowledged);
  const wanted = numbers(acknowledged).map((n) => `event-${n}`);
  expect([...(await eventIds(project))].toSorted()).toEqual(wanted.toSorted());
  // Events that every sync has sent no longer wait, whichever host is asked.
  await until(async () => {
    const { stdout } = await project.sluiceWith(env, "status");
    return /^forms +\/hooks\/forms +0 +-$/m.test(stdout);
  });
}, 120_000);
