import { expect, it } from "vitest";

import { loadConfig } from "../../../src/config/load.ts";
import { connectors, makeProject, refusal } from "./support.ts";

const verified = (sync: string): string => `version: 1
api: { api_key: abc123 }
connections:
  crm: { connector: file, path: a.csv }
syncs:
  companies:
    from: crm
    verify: { schedule: { cron: "0 5 * * 1", time_zone: Europe/Paris } }
    send: all
${sync}
`;

const accounts = `    stream: account
    record: { account_id: id, domain: site, account_properties: {} }`;

const events = `    stream: contact_event
    record:
      event_id: id
      contact_id: who
      event: kind
      event_timestamp: { column: at, as: datetime }
      event_properties: {}`;

it.each([
  [accounts, "with `send: all` nothing says what the service holds"],
  [events, "events cannot be verified"],
])("verify is refused where each look would fail", async (sync, said) => {
  const cwd = await makeProject({ "sluice.yaml": verified(sync) });
  const message = await refusal(loadConfig({ cwd, env: {}, connectors }));
  expect(message).toContain(`sluice.yaml:8:5: ${said}`);
});
