import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import type { Push, PushSource } from "../../connectors/contract/push.ts";
import { receiveChecks } from "../../testing/checks/receive.ts";
import { runCheck, type CheckResult } from "../../testing/run.ts";
import {
  rightPush,
  rightPushAbilities,
  rightPushHarness,
  rightPushSource,
  type SamplePushConfig,
} from "../broken-connectors/right-push.ts";

const { endpoint, receive, sign } = rightPushAbilities;

type Changes = Partial<Push<SamplePushConfig>>;

async function result(
  changes?: Changes,
  without: readonly (keyof PushSource)[] = [],
): Promise<CheckResult> {
  const [check] = receiveChecks;
  if (check === undefined) throw new Error("there is no check of `receive`");
  const source = { ...(changes === undefined ? rightPush : rightPushSource(changes)) };
  for (const member of without) Reflect.deleteProperty(source, member);
  return await runCheck(check, { source, harness: rightPushHarness() });
}

/** A `receive` that gives events ids other than the right ones. */
function naming(nameOf: (id: string, index: number) => string | undefined): Changes {
  return {
    receive: (input) => {
      const answer = receive(input);
      if (!("events" in answer)) return answer;
      const events = answer.events.map(({ json, id }, index) => {
        return { json, id: nameOf(id ?? "", index) };
      });
      return { events };
    },
  };
}

/** A `receive` that leaves out events that it has seen before. */
function remembering(): Changes {
  const taken = new Set<string | undefined>();
  return {
    receive: (input) => {
      const answer = receive(input);
      if (!("events" in answer)) return answer;
      const events = answer.events.filter(({ id }) => !taken.has(id));
      for (const { id } of events) taken.add(id);
      return { events };
    },
  };
}

function half(body: Buffer): Buffer {
  return body.subarray(0, body.length / 2);
}

describe("receiveChecks", () => {
  it("find nothing wrong in the right connector", async () => {
    expect(await result()).toMatchObject({ id: "A7", state: "passed", text: "" });
  });

  it.each([
    ["names events by chance", naming(() => randomUUID()), "the same ids for"],
    ["names no event", naming(() => undefined), "an id for each event"],
    ["names all events alike", naming(() => "event"), "another id for each event"],
    ["names events by their places", naming((_, index) => `${index}`), "other ids for another"],
    ["remembers what it took", remembering(), "3 events of the same delivery again"],
    [
      "believes everyone",
      {
        receive: ({ config, request }) => {
          const { body, headers } = request;
          const signed = sign({ config, body, id: "any", at: 0 });
          return receive({ config, request: { ...request, headers: { ...headers, ...signed } } });
        },
      },
      "401 for a delivery without a signature",
    ],
    [
      "believes whoever signs anything",
      {
        receive: ({ config, request }) => {
          if (request.headers["sample-signature"] === undefined) {
            return { refuse: 401, reason: "no_signature" };
          }
          const signed = sign({ config, body: request.body, id: "any", at: 0 });
          return receive({ config, request: { ...request, headers: signed } });
        },
      },
      "401 for a delivery with a bad signature",
    ],
    [
      "throws at what is no JSON",
      {
        receive: (input) => {
          JSON.parse(input.request.body.toString());
          return receive(input);
        },
      },
      "came SyntaxError",
    ],
    [
      "repeats what came in its refusal",
      {
        receive: (input) => {
          const answer = receive(input);
          if (!("message" in answer)) return answer;
          return { ...answer, message: `no list: ${input.request.body.toString()}` };
        },
      },
      "repeats nothing of it",
    ],
    [
      "takes what is no JSON",
      {
        receive: (input) => {
          const answer = receive(input);
          if (!("message" in answer)) return answer;
          return { events: [{ json: input.request.body.toString(), id: "raw" }] };
        },
      },
      "to become JSON",
    ],
    [
      "takes bodies of any size",
      { endpoint: (config) => ({ ...endpoint(config), bodyBytesMax: Infinity }) },
      "came Infinity",
    ],
    [
      "lets events wait without a limit",
      { endpoint: (config) => ({ ...endpoint(config), backlogMax: NaN }) },
      "`backlogMax` that is a limit",
    ],
  ] satisfies [mistake: string, changes: Changes, text: string][])(
    "find a connector that %s",
    async (_mistake, changes, text) => {
      const { state, text: said } = await result(changes);
      expect(said).toContain(text);
      expect(state).toBe("failed");
    },
  );

  it("find a connector that signs only half of the body", async () => {
    const changes: Changes = {
      receive: ({ config, request }) => {
        const { body, headers } = request;
        const id = headers["sample-id"] ?? "";
        const expected = sign({ config, body: half(body), id, at: 0 })["sample-signature"];
        if (headers["sample-signature"] !== expected)
          return { refuse: 401, reason: "bad_signature" };
        const signed = sign({ config, body, id, at: 0 });
        return receive({ config, request: { ...request, headers: signed } });
      },
      sign: (input) => {
        const whole = sign(input);
        return {
          ...sign({ ...input, body: half(input.body) }),
          "sample-copy": whole["sample-signature"],
        };
      },
    };
    const { state, text } = await result(changes);
    expect(text).toContain("a body that was changed");
    expect(state).toBe("failed");
  });

  it("are not shown without anything that signs", async () => {
    expect(await result(undefined, ["sign"])).toMatchObject({
      state: "not shown",
      text: "neither the harness nor the connector has a `sign`",
    });
  });
});
