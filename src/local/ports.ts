import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Whether this process may listen on every one of these ports. */
export async function areFree(ip: string, ports: readonly number[]): Promise<boolean> {
  try {
    await whileListening(ip, ports);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return false;
    throw error;
  }
}

/** As many free ports, all different; the operating system does not soon give them to somebody else. */
export async function freePorts(ip: string, count: number): Promise<readonly number[]> {
  return await whileListening(ip, Array<number>(count).fill(0));
}

/** Listens on all ports at once, so that two of them are never the same, and gives them back; 0 is any. */
async function whileListening(ip: string, ports: readonly number[]): Promise<readonly number[]> {
  const servers: Server[] = [];
  try {
    for (const port of ports) {
      const server = createServer().listen({ port, host: ip, exclusive: true });
      await once(server, "listening");
      servers.push(server);
    }
    return servers.map((server) => {
      const address = server.address();
      return address !== null && typeof address === "object" ? address.port : 0;
    });
  } finally {
    for (const server of servers) await once(server.close(), "close");
  }
}
