import { expect, it, onTestFinished } from "vitest";

import type { Inbox } from "../../../../src/inbox/inbox.ts";
import { openPostgresInbox } from "../../../../src/inbox/postgres/open.ts";
import { Secret } from "../../../../src/security/secret.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import { type Cut, type CutWay, cutWayTo } from "../../../support/postgres/cut-way.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { schemaOf } from "../../../support/project/inline-postgres.ts";
import { numbers } from "../../../support/sequences.ts";
import { someOf } from "../../../support/trials.ts";
import { delivery } from "../deliveries.ts";

/** More than the messages that any of the methods sends to its server. */
const saidMax = 30;

/** A time later than every event's. */
const later = Date.parse("2100-01-01");

async function open(server: StoreServer): Promise<Inbox> {
  const inbox = await openPostgresInbox(server);
  onTestFinished(async () => await inbox.close());
  return inbox;
}

/** An inbox over a connection that is cut, as a dying process leaves it, and the same inbox for the next process. */
async function twoOfOne(): Promise<{
  readonly dying: Inbox;
  readonly next: Inbox;
  readonly way: CutWay;
}> {
  const server = await schemaOf(await temporaryFolder());
  const way = await cutWayTo(server.url.reveal());
  const dying = await open({ ...server, url: new Secret(way.url) });
  return { dying, next: await open(server), way };
}

/** Keeps an event for each id, in separate deliveries that come together. Returns how many were new. */
async function keep(inbox: Inbox, connection: string, ids: readonly string[]): Promise<number> {
  const answers = await Promise.allSettled(
    ids.map(async (id) => await inbox.keep(delivery([{ id, json: id }], { connection }))),
  );
  const kept = answers.map((answer) =>
    answer.status === "fulfilled" ? answer.value.kept : Number.NaN,
  );
  return kept.reduce((sum, events) => sum + events, 0);
}

async function idsOf(inbox: Inbox, connection: string): Promise<readonly (string | null)[]> {
  const rows = await inbox.read({ connection, after: 0, limit: 100 });
  expect(rows.map(({ seq }) => seq)).toEqual(numbers(rows.length).map((index) => index + 1));
  return rows.map(({ id }) => id);
}

it.each<Cut>(["not arrived", "answer lost"])(
  "a group is kept whole or not at all, and once when its senders repeat it, wherever its receiver dies: %s",
  async (where) => {
    const { dying, next, way } = await twoOfOne();
    const group = ["3", "4", "2"];
    let deaths = 0;
    for (const number of numbers(saidMax)) {
      const connection = `forms ${number}`;
      expect(await keep(dying, connection, ["1", "2"])).toBe(2);
      const isCut = way.cutAt(number + 1, where);
      const kept = await keep(dying, connection, group);
      if (!isCut()) break;
      deaths += 1;
      // None of them is answered.
      expect(kept).toBeNaN();
      const left = await idsOf(next, connection);
      expect(["1,2", "1,2,3,4"]).toContain(left.join());
      expect(await keep(next, connection, group)).toBe(4 - left.length);
      expect(await idsOf(next, connection)).toEqual(["1", "2", "3", "4"]);
      // Nobody has cleared the wake-up flag of the first delivery.
      const backlog = (await next.backlogs()).find((each) => each.connection === connection);
      expect(backlog).toMatchObject({ waiting: 4, hasWakeUp: true });
    }
    // Begin, check which store it is, lock, ask for the time and for ids, write three tables, commit.
    expect(deaths).toBeGreaterThanOrEqual(9);
    expect(deaths).toBeLessThan(saidMax);
  },
);

/** A drain's calls to the inbox of a connection; it dies in one, and repeats it. */
const works: readonly (readonly [
  string,
  (inbox: Inbox, connection: string) => Promise<unknown>,
])[] = [
  ["takeWakeUp", async (inbox, connection) => await inbox.takeWakeUp({ connection })],
  ["setAccepted", async (inbox, connection) => await inbox.setAccepted({ connection, upTo: 1 })],
  [
    "setLeaving",
    async (inbox, connection) => await inbox.setLeaving({ connection, upTo: 1, since: later }),
  ],
  ["prune", async (inbox, connection) => await inbox.prune({ connection, upTo: 1 })],
  ["forgetIds", async (inbox) => await inbox.forgetIds({ receivedBefore: later })],
  ["erase", async (inbox, connection) => await inbox.erase({ connection, seqs: [2] })],
];

it.each(someOf(works, 3))(
  "a drain that dies in %s, and does it again, leaves the same",
  async (_, work) => {
    const { dying, next, way } = await twoOfOne();
    const look = async (connection: string): Promise<unknown> => {
      const rows = await next.read({ connection, after: 0, limit: 100 });
      const [backlog] = (await next.backlogs()).filter((each) => each.connection === connection);
      // Whether its ids are still known.
      const kept = await keep(next, connection, ["1"]);
      return [
        rows.map(({ seq, id, json }) => [seq, id, json]),
        await next.leaving({ connection }),
        [backlog?.accepted, backlog?.waiting, backlog?.hasWakeUp, kept],
      ];
    };
    await keep(next, "whole", ["1", "2"]);
    await work(next, "whole");
    const wanted = await look("whole");
    for (const where of ["not arrived", "answer lost"] as const) {
      let deaths = 0;
      way.cutAt(Infinity, where);
      for (const number of numbers(saidMax)) {
        const connection = `${where} ${number}`;
        expect(await keep(dying, connection, ["1", "2"])).toBe(2);
        const isCut = way.cutAt(number + 1, where);
        const [answer] = await Promise.allSettled([work(dying, connection)]);
        if (!isCut()) break;
        deaths += 1;
        expect(answer.status).toBe("rejected");
        await work(next, connection);
        expect(await look(connection)).toEqual(wanted);
      }
      // Begin, check which store it is, do something, commit.
      expect(deaths).toBeGreaterThanOrEqual(4);
      expect(deaths).toBeLessThan(saidMax);
    }
  },
);
