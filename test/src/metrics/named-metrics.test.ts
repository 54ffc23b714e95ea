import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { createProcessMetrics } from "../../../src/metrics/process-metrics.ts";
import { familiesOf, metricsNamedIn } from "../../support/metrics/named.ts";
import { startTestReceiver } from "../webhooks/support.ts";

const root = resolve(import.meta.dirname, "../../..");

async function read(name: string): Promise<string> {
  return await readFile(join(root, name), "utf8");
}

/** Every metric of a worker or a receiver: those with a help text. */
async function existing(): Promise<ReadonlySet<string>> {
  const { text } = await createProcessMetrics().answer();
  const receiver = await startTestReceiver();
  const answer = await fetch(new URL("/metrics", receiver.address));
  const helps = `${text}${await answer.text()}`.match(/^# HELP \S+/gm) ?? [];
  return new Set(helps.map((line) => line.slice("# HELP ".length)));
}

const rules = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })),
});

const ruleTests = z.object({
  tests: z.array(
    z.object({
      name: z.string(),
      alert_rule_test: z.array(
        z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) }),
      ),
    }),
  ),
});

it("the dashboard, the alerts and the page of docs name metrics that exist, and the page names all", async () => {
  const known = await existing();
  const page = familiesOf(metricsNamedIn(await read("docs/monitoring.md")));
  const named = {
    page,
    dashboard: familiesOf(metricsNamedIn(await read("deploy/grafana/sluice.json"))),
    alerts: familiesOf(metricsNamedIn(await read("deploy/prometheus/alerts.yaml"))),
    tests: familiesOf(metricsNamedIn(await read("deploy/prometheus/alerts.test.yaml"))),
  };
  for (const [where, names] of Object.entries(named)) {
    const unknown = [...names].filter((name) => !known.has(name));
    expect({ where, unknown, names: names.size > 4 }).toEqual({ where, unknown: [], names: true });
  }
  const ours = [...known].filter((name) => name.startsWith("sluice_"));
  expect(ours.filter((name) => !page.has(name))).toEqual([]);
});

it("each alert has a test of its own in which it fires, and one moment at which it does not", async () => {
  const { groups } = rules.parse(parse(await read("deploy/prometheus/alerts.yaml")));
  const { tests } = ruleTests.parse(parse(await read("deploy/prometheus/alerts.test.yaml")));
  const alerts = groups.flatMap((group) => group.rules.map(({ alert }) => alert));
  expect(tests.map(({ name }) => name)).toEqual(alerts);
  const page = await read("docs/monitoring.md");
  expect(alerts.filter((alert) => !page.includes(`\`${alert}\``))).toEqual([]);
  for (const { name, alert_rule_test: moments } of tests) {
    expect(moments.map(({ alertname }) => alertname)).toEqual(moments.map(() => name));
    expect(moments.map(({ exp_alerts: alert }) => alert.length)).toEqual([0, 1]);
  }
});
