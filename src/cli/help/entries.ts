/** The end of a command's help. */
export type HelpEntry = {
  /** As they are typed; a test gives each one to the program. */
  readonly examples: readonly string[];
  /** The page of the documentation with the rest. */
  readonly page: string;
};

/**
 * By the words of the command; the empty text is the program itself. A command that only groups verbs has the first
 * example of each.
 */
export const entries: Readonly<Record<string, HelpEntry>> = {
  "": {
    examples: [
      "sluice init customers.csv    # make a sluice.yaml of a file",
      "sluice preview accounts      # look at what would be sent",
      "sluice run accounts          # send it",
      "sluice help exit-codes       # how a command can end",
    ],
    page: "README.md",
  },
  init: {
    examples: [
      "sluice init    # asks, in a terminal",
      "sluice init customers.csv --id customer_id --domain website",
      "sluice init --url-env CRM_DATABASE_URL --table crm.companies",
    ],
    page: "docs/getting-started.md",
  },
  validate: {
    examples: ["sluice validate", "sluice validate -c staging/sluice.yaml"],
    page: "docs/configuration.md",
  },
  check: { examples: ["sluice check", "sluice check crm"], page: "docs/operations.md" },
  discover: {
    examples: [
      "sluice discover crm",
      "sluice discover crm --limit 500 > more.yaml    # to be pasted from",
    ],
    page: "docs/getting-started.md",
  },
  preview: {
    examples: [
      "sluice preview accounts",
      "sluice preview accounts -n 20 --json",
      "sluice preview accounts --key ./customers.csv:78    # one row of a file",
    ],
    page: "docs/rejects.md",
  },
  test: {
    examples: [
      "sluice test",
      "sluice test tests/accounts.yaml --update",
      "sluice test --junit results.xml    # for a CI server",
    ],
    page: "docs/testing-a-sync.md",
  },
  plan: {
    examples: ["sluice plan accounts", "sluice plan accounts --sample 10000 --json"],
    page: "docs/plan.md",
  },
  run: {
    examples: [
      "sluice run accounts",
      "sluice run accounts contacts --json",
      "sluice run --all --quiet",
    ],
    page: "docs/operations.md",
  },
  backfill: {
    examples: [
      'sluice backfill accounts --from "last 30 days"',
      "sluice backfill accounts --send changed --yes",
      "sluice backfill accounts --key 4711 --key 4712",
    ],
    page: "docs/backfill.md",
  },
  pull: {
    examples: [
      "sluice pull account_scores",
      'sluice pull account_scores --ddl | psql "$CRM_DATABASE_URL"',
      "sluice pull account_scores --limit 100",
    ],
    page: "docs/pulls.md",
  },
  approve: {
    examples: ["sluice approve accounts-20261121-154829-01a1fecb"],
    page: "docs/guardrails.md",
  },
  discard: {
    examples: ["sluice discard accounts-20261121-154829-01a1fecb"],
    page: "docs/guardrails.md",
  },
  cancel: {
    examples: ["sluice cancel accounts-20261122-205644-c362ec14"],
    page: "docs/operations.md",
  },
  pause: {
    examples: ["sluice pause accounts-20261122-205644-c362ec14"],
    page: "docs/backfill.md",
  },
  resume: {
    examples: ["sluice resume accounts-20261122-205644-c362ec14"],
    page: "docs/backfill.md",
  },
  status: { examples: ["sluice status", "sluice status --json"], page: "docs/notifications.md" },
  "runs list": {
    examples: [
      "sluice runs list",
      "sluice runs list --failed --since 7d",
      "sluice runs list --sync accounts --limit 100 --json",
    ],
    page: "docs/operations.md",
  },
  "runs show": {
    examples: [
      "sluice runs show    # the newest",
      "sluice runs show accounts-20261122-205644-c362ec14 --json",
    ],
    page: "docs/operations.md",
  },
  forget: {
    examples: ["sluice forget contacts c-17", "sluice forget contacts c-17 --yes --json"],
    page: "docs/forget.md",
  },
  verify: {
    examples: [
      "sluice verify accounts                   # 200 records, 200 calls at most",
      "sluice verify accounts --sample 20 --seed 7",
      "sluice verify accounts --key a-17 --json",
      "sluice verify accounts --resend          # asks before it sends what is missing",
    ],
    page: "docs/verify.md",
  },
  ui: {
    examples: [
      "sluice ui    # then open http://127.0.0.1:8091",
      "sluice ui --port 9000 --show-rows",
      "SLUICE_UI_TOKEN=$(openssl rand -hex 24) sluice ui --host 0.0.0.0",
    ],
    page: "docs/ui.md",
  },
  explain: {
    examples: [
      "sluice explain accounts a-17",
      "sluice explain accounts --place ./accounts.csv:78    # one row of a file",
    ],
    page: "docs/explain.md",
  },
  "runs prune": { examples: ["sluice runs prune --older-than 90d"], page: "docs/operations.md" },
  "rejects list": {
    examples: [
      "sluice rejects list    # of the newest run",
      "sluice rejects list --open --sync accounts",
      "sluice rejects list --key 4711 --since 30d",
    ],
    page: "docs/rejects.md",
  },
  "rejects export": {
    examples: [
      "sluice rejects export --out rejects.csv",
      "sluice rejects export accounts-20261122-205644-c362ec14 --format jsonl",
    ],
    page: "docs/rejects.md",
  },
  "rejects replay": {
    examples: ["sluice rejects replay", "sluice rejects replay --sync accounts --code not_domain"],
    page: "docs/rejects.md",
  },
  "state show": { examples: ["sluice state show accounts"], page: "docs/operations.md" },
  "state set": {
    examples: [
      `sluice state set accounts '{"of":"companies by updated_at","changed":"2026-11-20 00:00:00+00"}' ` +
        '--reason "a restored backup"',
    ],
    page: "docs/operations.md",
  },
  "state reset": {
    examples: ['sluice state reset accounts --reason "the account was emptied"'],
    page: "docs/operations.md",
  },
  "state adopt": {
    examples: ['sluice state adopt accounts --fields domain --reason "means the same"'],
    page: "docs/plan.md",
  },
  "state rebind": {
    examples: ["sluice state rebind    # the key was rotated"],
    page: "docs/operations.md",
  },
  doctor: { examples: ["sluice doctor"], page: "docs/operations.md" },
  "schedule apply": {
    examples: ["sluice schedule apply", "sluice schedule apply --yes    # in a deployment"],
    page: "docs/schedules.md",
  },
  "schedule list": { examples: ["sluice schedule list"], page: "docs/schedules.md" },
  "schedule trigger": { examples: ["sluice schedule trigger accounts"], page: "docs/schedules.md" },
  "schedule pause": {
    examples: ['sluice schedule pause accounts --reason "the export is late"'],
    page: "docs/schedules.md",
  },
  "schedule resume": { examples: ["sluice schedule resume accounts"], page: "docs/schedules.md" },
  worker: {
    examples: ["TEMPORAL_ADDRESS=temporal.example:7233 sluice worker"],
    page: "docs/operations.md",
  },
  webhooks: {
    examples: ["sluice webhooks", "SLUICE_HOST=0.0.0.0 sluice webhooks --port 8080"],
    page: "docs/webhooks.md",
  },
  "webhooks send": {
    examples: ["sluice webhooks send event.json", "sluice webhooks send event.json --id evt_1"],
    page: "docs/webhooks.md",
  },
  "store migrate": {
    examples: ["sluice store migrate --ddl", "sluice store migrate"],
    page: "docs/configuration.md",
  },
  "store copy": {
    examples: ["sluice store copy --to postgres", "sluice store copy --to sqlite"],
    page: "docs/several-hosts.md",
  },
  "store rebind": { examples: ["sluice store rebind"], page: "docs/several-hosts.md" },
  "store rename": {
    examples: ["sluice store rename --from customers"],
    page: "docs/several-hosts.md",
  },
  "store show": { examples: ["sluice store show"], page: "docs/configuration.md" },
  "rate-limit show": { examples: ["sluice rate-limit show"], page: "docs/operations.md" },
  "rate-limit reset": { examples: ["sluice rate-limit reset"], page: "docs/operations.md" },
  dev: { examples: ["sluice dev"], page: "docs/operations.md" },
  sandbox: {
    examples: [
      "sluice sandbox --port 0",
      "sluice sandbox --list-faults > faults.yaml",
      "sluice sandbox --faults faults.yaml",
    ],
    page: "docs/sandbox.md",
  },
  "connector new": {
    examples: ["sluice connector new acme-crm", "sluice connector new acme-forms --push"],
    page: "docs/connectors.md",
  },
  "connector dev": {
    examples: ["sluice connector dev ./acme-crm --set url=https://crm.example -n 5"],
    page: "docs/connectors.md",
  },
  "connector test": {
    examples: ["sluice connector test ./acme-crm", "sluice connector test ./acme-crm --only R4,F2"],
    page: "docs/connectors.md",
  },
  schema: { examples: ["sluice schema > sluice.schema.json"], page: "docs/configuration.md" },
  "temporal path": { examples: ["sluice temporal path"], page: "docs/operations.md" },
  completion: {
    examples: ['eval "$(sluice completion bash)"    # in ~/.bashrc', "sluice completion fish"],
    page: "docs/commands.md",
  },
  help: {
    examples: ["sluice help rejects replay", "sluice help exit-codes"],
    page: "docs/commands.md",
  },
  "temporal start": { examples: ["sluice temporal start"], page: "docs/operations.md" },
};
