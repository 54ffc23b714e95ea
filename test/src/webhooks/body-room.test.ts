import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

import { describe, expect, it } from "vitest";

import { BodyRoom } from "../../../src/webhooks/body-room.ts";
import { receiverBodiesBytesMax, receiverSmallBodyBytes } from "../../../src/webhooks/limits.ts";

function response(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}

describe("the room for bodies", () => {
  it.for([
    [receiverBodiesBytesMax - 1, true],
    [receiverBodiesBytesMax, true],
    [receiverBodiesBytesMax + 1, false],
  ] as const)("lets large bodies in up to so many bytes together: %i, %s", ([bytes, isLetIn]) => {
    const room = new BodyRoom();
    const half = receiverBodiesBytesMax / 2;
    expect(room.take(half, response())).toBe(true);
    expect(room.take(bytes - half, response())).toBe(isLetIn);
  });

  it("has the room again once a response is done, or its connection is gone", () => {
    const room = new BodyRoom();
    const first = response();
    expect(room.take(receiverBodiesBytesMax, first)).toBe(true);
    expect(room.take(receiverSmallBodyBytes + 1, response())).toBe(false);
    first.emit("close");
    expect(room.take(receiverSmallBodyBytes + 1, response())).toBe(true);
  });

  it("lets a body in that is larger than the room, alone", () => {
    const room = new BodyRoom();
    expect(room.take(2 * receiverBodiesBytesMax, response())).toBe(true);
    expect(room.take(receiverSmallBodyBytes + 1, response())).toBe(false);
  });

  it.for([
    [receiverSmallBodyBytes - 1, true],
    [receiverSmallBodyBytes, true],
    [receiverSmallBodyBytes + 1, false],
  ] as const)("always lets small bodies in: %i bytes when it is full, %s", ([bytes, isLetIn]) => {
    const room = new BodyRoom();
    expect(room.take(receiverBodiesBytesMax, response())).toBe(true);
    expect(room.take(bytes, response())).toBe(isLetIn);
  });
});
