import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { resolve } from "node:path";

import { InvalidArgumentError, type Command } from "commander";
import { request } from "undici";

import { createDispatcher } from "../../api/http/http.ts";
import { codeOf } from "../../api/http/no-answer.ts";
import { ApiUnavailableError, ConfigError, messageOf } from "../../errors.ts";
import { connectTimeoutMs } from "../../limits.ts";
import { hostToReach } from "../../local/temporal-server.ts";
import { isDeliveryId } from "../../security/standard-webhooks.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { sendAnswerBytesMax, sendDeadlineMs, webhooksPortDefault } from "../limits.ts";
import { configOf, withGlobals, type Context, type GlobalOptions } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { onlyPush, receiverConnectionNamed, type PushConnection } from "./push-connections.ts";
import { deliveryAnswerOf, type DeliveryAnswer } from "./webhook-answer.ts";

type SendOptions = GlobalOptions & {
  readonly connection?: string;
  readonly url?: string;
  readonly id?: string;
};

/** Reads a delivery's id from the command line. @throws {InvalidArgumentError} no receiver would take it. */
function deliveryId(text: string): string {
  // A header carries no more: blanks around it are lost, and characters outside ASCII depend on the client.
  if (isDeliveryId(text) && /^[!-~]+$/.test(text)) return text;
  throw new InvalidArgumentError(
    "must be 1 to 256 characters of ASCII, without blanks and full stops",
  );
}

/**
 * Reads the body to send, from stdin for `-`, byte for byte. @throws {ConfigError} it cannot be read, or is too large.
 */
async function readBody(file: string, cwd: string, bytesMax: number): Promise<Buffer> {
  const stream: AsyncIterable<unknown> =
    file === "-" ? process.stdin : createReadStream(resolve(cwd, file));
  const blocks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const block of stream) {
      const read = Buffer.isBuffer(block) ? block : Buffer.from(String(block));
      bytes += read.length;
      if (bytes > bytesMax) break;
      blocks.push(read);
    }
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (bytes <= bytesMax) return Buffer.concat(blocks);
  throw new ConfigError(`${file} is larger than the ${bytesMax} bytes that its connection takes`, {
    hint: "send fewer events at once, or raise the connection's `body_max`",
  });
}

/** The address to which the connection is pushed. @throws {ConfigError} `--url` is not an address. */
function addressOf(
  { push, config }: PushConnection,
  { url }: SendOptions,
  { environment }: Context,
): URL {
  if (url === undefined) {
    const { path } = push.endpoint(config);
    return new URL(path, `http://${hostToReach(environment.host)}:${webhooksPortDefault}`);
  }
  const address = URL.parse(url);
  if (address !== null && /^https?:$/.test(address.protocol)) return address;
  throw new ConfigError("--url is not an http or https address", {
    hint: "give the whole of it: `--url https://hooks.example.com/hooks/forms`",
  });
}

/** Posts a delivery once, without redirects. @throws {ApiUnavailableError} there is no answer. */
async function post(
  address: URL,
  delivery: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer },
  { environment }: Context,
): Promise<DeliveryAnswer> {
  const dispatcher = createDispatcher(
    // The person named this host, so it may be a private one.
    {
      allowInsecureHosts: [address.hostname],
      connectMs: connectTimeoutMs,
      proxy: environment.proxy,
    },
    sendAnswerBytesMax,
  );
  const signal = AbortSignal.timeout(sendDeadlineMs);
  try {
    const answer = await request(address, { dispatcher, method: "POST", signal, ...delivery });
    const { statusCode: status, headers } = answer;
    const retryAfter = headers["retry-after"]?.toString();
    return deliveryAnswerOf({ status, retryAfter, body: await answer.body.text() });
  } catch (error) {
    const code = signal.aborted ? `within ${sendDeadlineMs / 1_000} s` : codeOf(error);
    // Without its path, which may be a secret of its own.
    throw new ApiUnavailableError(`POST to ${address.origin}: no answer (${code})`, {
      cause: error,
      hint: "is the receiver there? `sluice webhooks` runs it",
    });
  } finally {
    await dispatcher.close();
  }
}

function textOf({ status, code, meaning, hint, retryAfter }: DeliveryAnswer): string {
  const when = retryAfter === undefined ? "" : ` (in ${retryAfter} s)`;
  return `${status}${code === undefined ? "" : ` ${code}`}: ${meaning}${hint === undefined ? "" : ` → ${hint}${when}`}`;
}

async function send(file: string, options: SendOptions, context: Context): Promise<void> {
  const config = await configOf(context, options);
  const pushed =
    options.connection === undefined
      ? onlyPush(config)
      : receiverConnectionNamed(config, options.connection);
  const { push, connection } = pushed;
  if (push.sign === undefined) {
    throw new ConfigError(`deliveries to ${connection} cannot be made here`, {
      hint: `its connector ${push.name} does not say how they are signed`,
    });
  }
  const { bodyBytesMax } = push.endpoint(pushed.config);
  const body = await readBody(file, context.cwd, bodyBytesMax);
  const id = options.id ?? `msg_${randomUUID()}`;
  const signed = push.sign({ config: pushed.config, body, id, at: Date.now() });
  const headers = { "content-type": "application/json", ...signed };
  const answer = await post(addressOf(pushed, options, context), { headers, body }, context);
  const { status, kept = null, code = null, retryAfter = null, meaning, hint = null } = answer;
  // A 2xx of another server keeps nothing.
  const isTaken = status >= 200 && status < 300 && answer.kept !== undefined;
  const told = { id, status, kept, code, retry_after_seconds: retryAfter, meaning, hint };
  context.print(options.json ? plainJson(told) : plainText(textOf(answer)));
  if (!isTaken) context.exit(exitCodes.failed);
}

/** Adds `send` to `sluice webhooks`. */
export function addSend(webhooks: Command, context: Context): void {
  withGlobals(webhooks.command("send <file>"))
    .description("sign a delivery as a connection asks, post it, and say what became of it")
    .option("--connection <name>", "the connection it is pushed to (default: the only one)")
    .option("--url <address>", "where it is pushed to (default: the receiver of this machine)")
    .option("--id <id>", "what the delivery is called (default: a new name)", deliveryId)
    .action(async (file: string, options: SendOptions) => await send(file, options, context));
}
