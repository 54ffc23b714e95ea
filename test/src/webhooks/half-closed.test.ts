import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";

import { expect, it } from "vitest";

import { ended, requestOf, startTestReceiver, statusesOf, type TestReceiver } from "./support.ts";

/** The statuses that a sender receives if it closes its side of the connection after writing. */
async function statusesAfter({ address }: TestReceiver, text: string): Promise<readonly number[]> {
  const at = { host: address.hostname, port: Number(address.port), allowHalfOpen: true };
  const socket = connect(at);
  let answer = "";
  socket.on("data", (bytes: Buffer) => (answer += bytes.toString("latin1")));
  socket.once("end", () => socket.destroy());
  socket.end(text);
  await ended(socket);
  return statusesOf(answer);
}

it("a sender that has closed its side is answered all that is kept of it", async () => {
  const receiver = await startTestReceiver({
    inbox: (inbox) => ({
      ...inbox,
      keep: async (delivery) => {
        await setTimeout(100);
        return await inbox.keep(delivery);
      },
    }),
  });
  const one = requestOf('[{"id":"a"}]', "Host: localhost", "Content-Length: 12");
  const other = one.replace('"a"', '"b"');
  const old = one.replace('"a"', '"c"').replace("1.1", "1.0");
  expect(await statusesAfter(receiver, one)).toEqual([202]);
  expect(await statusesAfter(receiver, one + other)).toEqual([200, 202]);
  expect(await statusesAfter(receiver, old)).toEqual([202]);
  // An incomplete request is not kept.
  const cut = one.replace('"a"', '"d"').slice(0, -1);
  expect(await statusesAfter(receiver, cut)).toEqual([400]);
  expect(await receiver.inbox.backlogs()).toMatchObject([{ last: 3 }]);
});
