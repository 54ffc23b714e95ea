import type { Secret } from "../../src/security/secret.ts";
import { bareKeyOf, isBase64Key } from "../../src/security/standard-webhooks.ts";
import type { ConnectorRequest, Finding } from "../contract/request.ts";
import type { WebhookConfig } from "./config.ts";
import { eventIdOf } from "./event-id.ts";
import { keyBytesOf } from "./secrets.ts";
import type { SignatureName } from "./signatures.ts";

const signatureDetails: Readonly<Record<WebhookConfig["signature"], string>> = {
  standard: "Standard Webhooks, over id, timestamp and body",
  github: "X-Hub-Signature-256, over the body; have it sent as application/json",
  stripe: "Stripe-Signature, over timestamp and body",
  bearer: "a bearer token; it says who posts, and nothing of the body",
  none: "warning: none, so anyone who knows the path may post",
};

/** One finding for each setting that may differ from the sender's. No request is made. */
export async function checkWebhook({
  config,
}: ConnectorRequest<WebhookConfig>): Promise<readonly Finding[]> {
  const { signature, secret: secrets = [] } = config;
  return [
    { name: "path", ok: true, detail: `POST ${config.path}` },
    { name: "signature", ok: true, detail: signatureDetails[signature] },
    ...(signature === "none"
      ? []
      : secrets.map((one, index) => secretFinding(index, signature, one))),
    { name: "event id", ok: true, detail: eventIdDetail(config) },
  ];
}

function secretFinding(index: number, signature: SignatureName, secret: Secret): Finding {
  const detail = `${keyBytesOf(signature, secret)} bytes, ${kindOf(signature, secret.reveal())}`;
  return { name: `secret ${index + 1}`, ok: true, detail };
}

/** How a secret is read: senders that read the same text in another way sign differently. */
function kindOf(signature: SignatureName, text: string): string {
  if (signature === "standard") {
    if (isBase64Key(text)) return "the base64 after whsec_";
    return bareKeyOf(text) !== undefined
      ? "the text itself, or the base64 that it is: both are tried"
      : "warning: the text itself, as it does not begin with whsec_; put that before it if the sender means base64";
  }
  if (signature === "stripe" && !text.startsWith("whsec_")) {
    return "warning: Stripe's signing secrets begin with whsec_";
  }
  return "the text itself";
}

function eventIdDetail(config: WebhookConfig): string {
  const by = eventIdOf(config);
  if (by === undefined) {
    return "warning: none, so a delivery that is repeated is sent on again; event_id names one";
  }
  if ("pointer" in by) return `at ${by.pointer} of each event`;
  const isSigned = config.signature === "standard" && by.header === "webhook-id";
  return `header ${by.header}${isSigned ? "" : ", which nobody signs"}`;
}
