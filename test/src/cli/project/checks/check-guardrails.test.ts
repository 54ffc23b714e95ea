import { expect, it } from "vitest";

import { sources } from "../../../../../connectors/registry.ts";
import { connectorOf } from "../../../../../connectors/source.ts";
import { checkGuardrails } from "../../../../../src/cli/project/checks/check-guardrails.ts";
import { readPlaces } from "../../../../../src/config/document/places.ts";
import { loadConfig } from "../../../../../src/config/load.ts";
import { makeProject } from "../../../config/support.ts";

const schedule = 'schedule: { at: "02:30", time_zone: UTC }';
const rest =
  "from: files, stream: account, record: { account_id: id, domain: d, account_properties: {} }";

/** Members of syncs, by name. */
const syncs = {
  changed: `{ ${rest}, ${schedule} }`,
  all: `{ ${rest}, ${schedule}, send: all }`,
  appended: `{ ${rest.replace("files", "logs")}, ${schedule} }`,
  by_hand: `{ ${rest} }`,
  bounded: `{ ${rest}, ${schedule}, hold_if: { rejected_above: 2% } }`,
  posted: `{ ${rest.replace("files", "hook")}, ${schedule} }`,
};

it("suggests guardrails that hold for a sync that runs by itself and has none", async () => {
  const text = `version: 1
api: { api_key: test-key }
connections:
  files: { connector: csv, path: a.csv }
  logs: { connector: csv, path: b.csv, append_only: true }
  hook: { connector: webhook, path: /hooks/a, signature: none, allow_unsigned: true }
syncs:
${Object.entries(syncs)
  .map(([name, members]) => `  ${name}: ${members}\n`)
  .join("")}`;
  const cwd = await makeProject({ "sluice.yaml": text });
  const config = await loadConfig({ cwd, env: {}, connectors: sources });
  const places = await readPlaces({ path: undefined, cwd, env: {} });
  const notes = [...config.syncs.values()].flatMap((sync) =>
    checkGuardrails(connectorOf({ sources }, sync.connector), sync, places).map(
      ({ place, detail }) => [sync.name, place, /`hold_if: (.*)`/.exec(detail)?.[1]],
    ),
  );
  expect(notes).toEqual([
    ["changed", "sluice.yaml:8", "{ rejected_above: 2%, changed_above: 30%, rows_below: 80% }"],
    ["all", "sluice.yaml:9", "{ rejected_above: 2%, rows_below: 80% }"],
    ["appended", "sluice.yaml:10", "{ rejected_above: 2% }"],
  ]);
  // The suggestion is accepted.
  for (const [name, , bounds = ""] of notes) {
    const suggested = text.replace(`${name}: {`, () => `${name}: { hold_if: ${bounds},`);
    const folder = await makeProject({ "sluice.yaml": suggested });
    const loaded = await loadConfig({ cwd: folder, env: {}, connectors: sources });
    expect(loaded.syncs.get(String(name))?.holdIf).toBeDefined();
  }
});
