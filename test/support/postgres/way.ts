import { connect, createServer, type Socket } from "node:net";

import { onTestFinished } from "vitest";

/** What becomes of what is sent on a way: it arrives; nobody is there; nothing comes any more, and nobody says so. */
type Passage = "open" | "closed" | "silent";

/** A way to a server, which a test closes. */
export type Way = {
  /** The server's URL by this way. */
  readonly url: string;
  passage: Passage;
};

/** Opens a way to the server of a URL; it ends with its test. */
export async function wayTo(url: string): Promise<Way> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const way: { url: string; passage: Passage } = { url, passage: "open" };
  const server = createServer((socket) => {
    const onward = connect({ host: target.hostname, port: Number(target.port) });
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => {
        if (way.passage === "closed") from.destroy();
        else if (way.passage === "open") to.write(bytes);
      });
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    if (way.passage === "closed") socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the way has no port");
  way.url = Object.assign(new URL(url), { host: `127.0.0.1:${address.port}` }).href;
  return way;
}
