import { connect, createServer, type Socket } from "node:net";

import { onTestFinished } from "vitest";

/** When a connection is cut: before its client's last message arrives, or once the server has answered it. */
export type Cut = "answer lost" | "not arrived";

/** A proxied way to a server on which a test can cut connections. */
export type CutWay = {
  /** The server's URL through the proxy. */
  readonly url: string;
  /**
   * Cuts the connection on which its client sends the n-th message from now on; a statement with its parameters is one
   * message. Returns a function that says whether that happened.
   */
  readonly cutAt: (number: number, cut: Cut) => () => boolean;
};

/** Opens such a proxy to the server of a URL; it ends with its test. */
export async function cutWayTo(url: string): Promise<CutWay> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let [left, cut]: [number, Cut] = [Infinity, "not arrived"];
  const server = createServer((socket) => {
    const onward = connect({ host: target.hostname, port: Number(target.port) });
    let isDeaf = false;
    const end = (): void => {
      socket.destroy();
      onward.destroy();
    };
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on("error", () => undefined);
      each.on("close", () => {
        sockets.delete(each);
        end();
      });
    }
    socket.on("data", (bytes) => {
      left -= 1;
      if (left === 0 && cut === "not arrived") return end();
      if (left === 0) isDeaf = true;
      onward.write(bytes);
    });
    onward.on("data", (bytes) => {
      if (isDeaf) end();
      else socket.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the way has no port");
  return {
    url: Object.assign(new URL(url), { host: `127.0.0.1:${address.port}` }).href,
    cutAt: (number, where) => {
      [left, cut] = [number, where];
      return () => left <= 0;
    },
  };
}
