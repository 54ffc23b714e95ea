import { expect, it } from "vitest";

import { pushSource } from "../../../connectors/contract/push.ts";
import { post, posts, startTestReceiver } from "./support.ts";

it("a receiver judges what was signed by the clock that it is given, not by its host's", async () => {
  const now = Date.parse("2001-02-03T04:05:06Z");
  const push = pushSource({
    ...posts,
    receive: ({ config, request }) =>
      request.receivedAt === now
        ? posts.receive({ config, request })
        : { refuse: 401, reason: "too_old" },
  });
  const receiver = await startTestReceiver({ push, now: () => now });
  expect((await post(receiver, [{ id: "a" }])).status).toBe(202);
});
