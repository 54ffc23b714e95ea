import { ConfigError, messageOf } from "../errors.ts";
import { servedAt } from "../probes/server.ts";
import { type AppParts, createApp } from "./app.ts";
import { BacklogWatch } from "./backlog-watch.ts";

/** The parts of a receiver. */
export type ReceiverParts = AppParts & {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
};

/** A running receiver. */
export type Receiver = {
  readonly address: URL;
  /** Takes no more requests, answers those under way, and resolves; the inbox stays open. */
  close(): Promise<void>;
};

/**
 * Starts the server that webhooks are pushed to.
 * @throws {ConfigError} it cannot listen there.
 */
export async function startReceiver(parts: ReceiverParts): Promise<Receiver> {
  const { pushed, inbox, log, host, port, wake } = parts;
  const connections = pushed.map(({ connection }) => connection);
  const watch = new BacklogWatch({ inbox, log, connections, wake });
  const app = createApp(parts, watch);
  const close = async (): Promise<void> => {
    watch.stop();
    await app.close();
  };
  await watch.look();
  try {
    await app.listen({ host, port });
  } catch (error) {
    await close();
    throw new ConfigError(`the receiver cannot listen at ${host}:${port}: ${messageOf(error)}`, {
      cause: error,
      hint: "choose another --port or SLUICE_HOST, or stop what listens there",
    });
  }
  return { address: servedAt(app.server), close };
}
