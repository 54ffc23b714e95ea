import { expect, it } from "vitest";
import { z } from "zod";

import type { Received } from "../../../connectors/contract/push.ts";
import { post, posts, startTestReceiver } from "./support.ts";

const given = z.custom<Received>();
const logLine = z.object({ msg: z.string() });

it.for([
  { what: "no json", event: { id: "canary" }, says: "`json` is not a text" },
  { what: "an object as json", event: { json: { a: "canary" } }, says: "`json` is not a text" },
  { what: "an id that is a number", event: { json: "{}", id: 17 }, says: "`id` is neither" },
  { what: "an id that is null", event: { json: "{}", id: null }, says: "`id` is neither" },
])(
  "answers only the delivery with 500 whose connector gives $what, and takes the next",
  async ({ event, says }) => {
    const wrong = given.parse({ events: [{ json: "{}" }, event] });
    const receiver = await startTestReceiver({
      push: {
        ...posts,
        receive: (job) => (job.request.body.includes("wrong") ? wrong : posts.receive(job)),
      },
    });
    const answers = await Promise.all([
      post(receiver, [{ id: "wrong" }]),
      post(receiver, [{ id: "a" }], { path: "/hooks/crm" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([500, 202]);
    expect(await post(receiver, [{ id: "b" }])).toMatchObject({ status: 202 });
    const lines = receiver.logged.map((line) => logLine.parse(JSON.parse(line)).msg);
    expect(lines).toEqual([expect.stringContaining(says)]);
    expect(lines[0]).toContain("a delivery to forms failed: its connector gives an event whose");
    expect(lines[0]).not.toMatch(/canary|17/);
  },
);
