import { pino } from "pino";
import { expect, it } from "vitest";

import { logService } from "../../../../src/cli/serve/start-worker.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";

it("says where records go, and warns where that is a sandbox", async () => {
  const { api } = (await Harness.open({ yaml: accountsYaml() })).deps.config;
  const lines: unknown[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  logService({ ...api, baseUrl: new URL("https://user:pass@ingest.example.com/v1?q=1") }, log);
  logService({ ...api, baseUrl: "sandbox" }, log);
  const sandbox =
    "records go to a sandbox on this machine, not to the service: api.base_url is `sandbox`";
  expect(lines).toEqual([
    { level: 30, msg: "records go to https://ingest.example.com" },
    { level: 40, msg: sandbox },
  ]);
});
