import { createLog } from "../../log.ts";
import { webhooksPortDefault } from "../limits.ts";
import {
  configOf,
  withGlobals,
  type Context,
  type GlobalOptions,
  type Register,
} from "../output/context.ts";
import { onInterrupt, untilAborted } from "../output/interrupt.ts";
import { needPushConnection } from "./push-connections.ts";
import { connectOf, readyFacts, readyText, startReceiving } from "./receiving.ts";
import { addSend } from "./send-webhook.ts";
import { port } from "./temporal.ts";
import { watchConfig } from "./watch-config.ts";

type WebhooksOptions = GlobalOptions & { readonly port: number };

async function receive(options: WebhooksOptions, context: Context): Promise<void> {
  const config = await configOf(context, options);
  const pushed = needPushConnection(config);
  const log = createLog(context.environment.logFormat);
  const interrupted = onInterrupt();
  const connect = await connectOf(config, context);
  const settings = { config, pushed, port: options.port, connect, log };
  const receiving = await startReceiving(settings, context);
  const { address } = receiving;
  const unwatch = watchConfig(config, log);
  context.print(
    options.json
      ? JSON.stringify({ ready: true, ...readyFacts(address, pushed) })
      : readyText(address, pushed),
  );
  await untilAborted(interrupted.signal);
  unwatch();
  log.info("receiver stops: it answers what has come");
  await receiving.close();
}

/** `sluice webhooks` and `sluice webhooks send`. */
export const registerWebhooks: Register = (program, context) => {
  const webhooks = withGlobals(program.command("webhooks"))
    // Otherwise it would take the options of `send` as its own.
    .enablePositionalOptions()
    .description("receive what is pushed to connections until it is stopped")
    .option("--port <port>", "where it listens; 0 takes a free one", port, webhooksPortDefault)
    .action(async (options: WebhooksOptions) => await receive(options, context));
  addSend(webhooks, context);
};
