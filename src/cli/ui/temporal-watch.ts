import { setTimeout as delay } from "node:timers/promises";

import { askTemporal, runIdsOf, type Told } from "../running/ask-temporal.ts";

/** How long a page waits for Temporal: finding out that it is away may take seconds. */
const waitMsMax = 50;

/** How old the last answer may be before Temporal is asked again. */
const askEveryMs = 2_000;

const nothingYet: Told = {
  asked: new Set(),
  runs: new Map(),
  elsewhere: new Set(),
  schedules: new Map(),
  silent: { text: "Temporal has not answered yet", hint: "look again", isFault: false },
};

/**
 * What Temporal says, without a page waiting for it: the last answer is shown, and Temporal is asked again meanwhile.
 * To be called like `askTemporal`, always about the same project.
 */
export function watchTemporal(): typeof askTemporal {
  let last = nothingYet;
  let askedAt = -Infinity;
  let asking: Promise<unknown> | undefined;
  return async (...asked) => {
    if (asking === undefined && performance.now() - askedAt >= askEveryMs) {
      askedAt = performance.now();
      asking = askTemporal(...asked)
        .then((told) => (last = told))
        // While asking fails, the earlier answer is shown: the way to Temporal may be configured wrongly.
        .catch(() => (last = { ...last, asked: runIdsOf(asked[0].runs) }))
        .finally(() => (asking = undefined));
    }
    await Promise.race([asking, delay(waitMsMax, undefined, { ref: false })]);
    return last;
  };
}
