import { onTestFinished } from "vitest";

import type { Inboxes } from "../../../activities/dependencies.ts";
import type { HostActivities, SharedActivities } from "../../../activities/index.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { openSqliteInbox } from "../../../src/inbox/sqlite/open.ts";
import { Harness, harnessHead } from "../project/harness.ts";

/** The settings of a harness with a connection that receives deliveries. */
export type PostedSettings = {
  /** An additional member of `api`. */
  readonly api?: string;
  /** Members of the connection `forms` besides its path. */
  readonly connection?: string;
  /** More members of the sync `accounts`, one a line. */
  readonly sync?: readonly string[];
  /** More syncs that read the connection. */
  readonly others?: readonly string[];
};

function syncText(name: string, more: readonly string[]): string {
  return `  ${name}:
    from: forms
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
${more.map((member) => `    ${member}\n`).join("")}`;
}

/** A `sluice.yaml` whose sync `accounts` reads the events of the connection `forms`. */
function postedYaml({ api, connection, sync = [], others = [] }: PostedSettings = {}): string {
  const members = ["path: /hooks/forms", "signature: none", "allow_unsigned: true"];
  if (connection !== undefined) members.push(connection);
  const apiText =
    api === undefined
      ? ""
      : `  ${api}
`;
  return `${harnessHead}${apiText}connections:
  forms: { connector: webhook, ${members.join(", ")} }
syncs:
${syncText("accounts", sync)}${others.map((name) => syncText(name, [])).join("")}`;
}

/** The activities on an inbox that receives deliveries. */
export class PostedHarness {
  readonly harness: Harness;
  readonly inbox: Inbox;
  readonly activities: HostActivities & SharedActivities;
  /** Connections whose drain was started. */
  readonly started: readonly string[];

  private constructor(harness: Harness, inbox: Inbox) {
    const started: string[] = [];
    const startDrain: Inboxes["startDrain"] = async (connection) => void started.push(connection);
    this.harness = harness;
    this.inbox = inbox;
    this.started = started;
    this.activities = harness.activitiesWith({ inboxes: { inbox, startDrain } });
  }

  static async open(settings: PostedSettings = {}): Promise<PostedHarness> {
    const harness = await Harness.open({ yaml: postedYaml(settings) });
    const opened = await openSqliteInbox(harness.deps.config.stateFolder);
    onTestFinished(async () => await opened.close());
    const inbox = { ...opened, now: async () => await Promise.resolve(harness.clock.nowMs) };
    return new PostedHarness(harness, inbox);
  }

  /** Keeps an account with this id. Returns whether a wake-up is due. */
  async post(id: string, receivedAt = this.harness.clock.nowMs): Promise<boolean> {
    const json = JSON.stringify({ id, domain: "c.example", name: "n" });
    const { wake } = await this.inbox.keep({ connection: "forms", receivedAt, events: [{ json }] });
    return wake;
  }
}
