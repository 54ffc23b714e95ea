import { METADATA_ENCODING_KEY, type Payload } from "@temporalio/common";
import { describe, expect, it } from "vitest";

import { interceptors, payloadConverter } from "../../workflows/unreadable-input.ts";

const ofWorkflow = { type: "workflow", namespace: "default", workflowId: "x" } as const;
const ofActivity = { type: "activity", namespace: "default", isLocal: false } as const;

function payloadOf(encoding: string, data: string): Payload {
  const encoder = new TextEncoder();
  return {
    metadata: { [METADATA_ENCODING_KEY]: encoder.encode(encoding) },
    data: encoder.encode(data),
  };
}

/** The answer of a workflow that returns its input. */
async function answerTo(payload: Payload): Promise<unknown> {
  const args = [payloadConverter.fromPayload(payload, ofWorkflow)];
  const [first] = interceptors().inbound ?? [];
  if (first?.execute === undefined) throw new Error("nothing looks at the input");
  return await first.execute(
    { args, headers: {} },
    async (input) => await Promise.resolve(input.args),
  );
}

describe("the input of a workflow", () => {
  it("comes in where it can be read", async () => {
    expect(await answerTo(payloadOf("json/plain", '{"sync":"a"}'))).toEqual([{ sync: "a" }]);
    expect(await answerTo(payloadOf("binary/null", ""))).toEqual([undefined]);
  });

  it.each([
    ["json/plain", '{"limit": Infinity}', "it is not JSON: NaN, Infinity"],
    ["json/plain", "{'sync': 'canary'}", "it is not JSON"],
    ["json/plain", "", "it is not JSON"],
    ["json/protobuf", '{"sync":"canary"}', 'its encoding is "json/protobuf": choose json/plain'],
    ["binary/encrypted", "canary", 'its encoding is "binary/encrypted"'],
  ])("ends the workflow where it cannot be read: %s %s", async (encoding, data, why) => {
    const error: unknown = await answerTo(payloadOf(encoding, data)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ type: "InvalidInput", nonRetryable: true });
    expect(String(error)).toContain(`the input of this workflow is wrong:\n✖ ${why}`);
    expect(String(error)).not.toContain("canary");
  });

  it("ends it where a payload says nothing of how it is to be read", async () => {
    await expect(answerTo({})).rejects.toMatchObject({ type: "InvalidInput" });
  });

  it("is not what an activity answers: that stays a fault", () => {
    const payload = payloadOf("json/plain", "{");
    expect(() => payloadConverter.fromPayload(payload, ofActivity)).toThrow(SyntaxError);
  });
});
