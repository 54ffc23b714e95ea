import type { DeliveryCase } from "../../../testing/delivery.ts";

const secret = "kit-secret-of-the-sender-5b1d0c";
const open = { signature: "none", secret: undefined, allow_unsigned: true };
const keyOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;

/** Members that the schema must refuse, by the member that it must name. */
const wrong: readonly (readonly [refusedBy: string, members: object])[] = [
  ["path", { path: undefined }],
  ["path", { path: "hooks" }],
  ["path", { path: "/hooks/../metrics" }],
  ["path", { path: "/livez" }],
  ["path", { path: "/readyz" }],
  ["path", { path: "/metrics" }],
  ["path", { path: `/${"a".repeat(200)}` }],
  ["signature", { signature: "hub" }],
  ["signature", { signature: "none", secret: undefined }],
  ["allow_unsigned", { secret, allow_unsigned: true }],
  ["secret", { ...open, secret }],
  ["secret", { secret: undefined }],
  ["secret", { secret: [] }],
  ["secret", { secret: Array<string>(5).fill(secret) }],
  ["secret", { secret: "fifteen-letters" }],
  ["secret", { secret: ["fifteen-letters"] }],
  ["secret.1", { secret: [secret, "fifteen-letters"] }],
  ["secret", { secret: keyOf(15) }],
  ["secret", { secret: " kit-secret-of-the-sender" }],
  ["secret", { signature: "github", secret: "kit-secret-of-the-sender\n" }],
  ["secret", { secret: "whsec_no*base64*at*all" }],
  ["secret", { secret: `whpk_${"hush".repeat(11)}` }],
  ["secret", { signature: "bearer", secret: "a token with blanks" }],
  ["event_id.header", { event_id: { header: "x event" } }],
  ["event_id.pointer", { event_id: { pointer: "id" } }],
  ["event_id.pointer", { event_id: { pointer: `/${"a".repeat(200)}` } }],
  ["event_id", { event_id: { header: "a", pointer: "/a" } }],
  ["body_max", { body_max: "10000001B" }],
  ["linger", { linger: "60001ms" }],
  ["linger", { linger: 300 }],
  ["retention", { retention: "none" }],
  ["backlog_max", { backlog_max: 0 }],
  ["backlog_max", { backlog_max: 100_000_001 }],
  ["folder", { folder: "" }],
  ["", { secrets: [secret] }],
];

const refused: readonly DeliveryCase[] = wrong.map(([refusedBy, members]) => ({
  what: `a wrong ${refusedBy}: ${JSON.stringify(members)}`,
  config: { ...members },
  refusedBy,
}));

const endpoints: readonly DeliveryCase[] = [
  {
    what: "the endpoint of a connection that says nothing of it",
    endpoint: {
      path: "/hooks/kit",
      bodyBytesMax: 1_000_000,
      backlogMax: 1_000_000,
      lingerMs: 300,
      retentionMs: 86_400_000,
    },
  },
  {
    what: "the widest endpoint",
    config: {
      path: `/${"a".repeat(199)}`,
      folder: "a",
      body_max: "10MB",
      backlog_max: 100_000_000,
      linger: "1m",
      retention: "7d",
    },
    endpoint: {
      path: `/${"a".repeat(199)}`,
      bodyBytesMax: 10_000_000,
      backlogMax: 100_000_000,
      lingerMs: 60_000,
      retentionMs: 604_800_000,
    },
  },
  {
    what: "the smallest endpoint",
    config: { path: "/h", body_max: 1, backlog_max: 1, linger: "1ms", retention: "1s" },
    endpoint: { path: "/h", bodyBytesMax: 1, backlogMax: 1, lingerMs: 1, retentionMs: 1_000 },
  },
];

/** A finding of `check`, which tests nothing that could fail. */
function said(name: string, detail: string): NonNullable<DeliveryCase["findings"]>[number] {
  return { name, ok: true, detail };
}

const text =
  "warning: the text itself, as it does not begin with whsec_; put that before it if the sender means base64";
const nobody = "header x-event-id, which nobody signs";

const findings: readonly DeliveryCase[] = [
  {
    what: "what `check` says of Standard Webhooks",
    config: { secret: keyOf(16) },
    findings: [
      said("path", "POST /hooks/kit"),
      said("signature", "Standard Webhooks, over id, timestamp and body"),
      said("secret 1", "16 bytes, the base64 after whsec_"),
      said("event id", "header webhook-id"),
    ],
  },
  {
    what: "what `check` says of four secrets, texts and a header of another name",
    config: {
      secret: [...Array<string>(3).fill(secret), keyOf(20)],
      event_id: { header: "x-event-id" },
    },
    findings: [
      said("secret 1", `31 bytes, ${text}`),
      said("secret 3", `31 bytes, ${text}`),
      said("secret 4", "20 bytes, the base64 after whsec_"),
      said("event id", nobody),
    ],
  },
  {
    what: "what `check` says of GitHub, and of a secret of 16 bytes",
    config: { signature: "github", secret: ["sixteen-letters!"] },
    findings: [
      said("signature", "X-Hub-Signature-256, over the body; have it sent as application/json"),
      said("secret 1", "16 bytes, the text itself"),
      said("event id", "header x-github-delivery, which nobody signs"),
    ],
  },
  {
    what: "what `check` says of GitHub's events called as Standard Webhooks do",
    config: { signature: "github", secret, event_id: { header: "webhook-id" } },
    findings: [said("event id", "header webhook-id, which nobody signs")],
  },
  {
    what: "what `check` says of Stripe",
    config: { signature: "stripe", secret: "whsec_no*base64*at*all" },
    findings: [
      said("signature", "Stripe-Signature, over timestamp and body"),
      said("secret 1", "22 bytes, the text itself"),
      said("event id", "at /id of each event"),
    ],
  },
  {
    what: "what `check` says of a secret that is not one of Stripe's",
    config: { signature: "stripe", secret },
    findings: [said("secret 1", "31 bytes, warning: Stripe's signing secrets begin with whsec_")],
  },
  {
    what: "what `check` says of a bearer token",
    config: { signature: "bearer", secret: `${secret}!` },
    findings: [
      said("signature", "a bearer token; it says who posts, and nothing of the body"),
      said("secret 1", "32 bytes, the text itself"),
      said(
        "event id",
        "warning: none, so a delivery that is repeated is sent on again; event_id names one",
      ),
    ],
  },
  {
    what: "what `check` says of an endpoint that is open to all",
    config: { ...open, event_id: { header: "X-Event-Id" } },
    findings: [
      said("signature", "warning: none, so anyone who knows the path may post"),
      said("event id", nobody),
    ],
  },
];

/** Settings, right and wrong. */
export const settingDeliveries: readonly DeliveryCase[] = [...refused, ...endpoints, ...findings];
