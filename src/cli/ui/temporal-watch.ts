import { setTimeout as delay } from "node:timers/promises";

import { askTemporal, type Told } from "../running/ask-temporal.ts";

/** How long a page waits for Temporal, which may take seconds to be found away. */
const waitMsMax = 50;

/** How old what it said may be before it is asked again. */
const askEveryMs = 2_000;

const nothingYet: Told = {
  runs: new Map(),
  elsewhere: new Set(),
  schedules: new Map(),
  silent: { text: "Temporal has not answered yet", hint: "look again", isFault: false },
};

/**
 * What Temporal says, without a page waiting for it: what it said last is shown, and meanwhile it is asked again. Asked
 * as `askTemporal`, always of the same project.
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
        // As long as it fails, what it said before is shown: how it is reached may be configured wrongly.
        .catch(() => undefined)
        .finally(() => (asking = undefined));
    }
    await Promise.race([asking, delay(waitMsMax, undefined, { ref: false })]);
    return last;
  };
}
