import { pushSource } from "../contract/push.ts";
import { checkWebhook } from "./check.ts";
import { webhookConfig } from "./config.ts";
import { receiveWebhook, signWebhook } from "./receive.ts";

/** Takes events that are pushed as JSON, one or a list of them in a delivery, from senders that sign what they send. */
export const webhook = pushSource({
  name: "webhook",
  config: webhookConfig,
  endpoint: ({ path, body_max, backlog_max, linger, retention }) => ({
    path,
    bodyBytesMax: body_max,
    backlogMax: backlog_max,
    lingerMs: linger,
    retentionMs: retention,
  }),
  receive: receiveWebhook,
  sign: signWebhook,
  check: checkWebhook,
});
