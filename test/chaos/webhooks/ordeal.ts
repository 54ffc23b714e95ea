import { setTimeout as delay } from "node:timers/promises";

import { Poster } from "../../support/webhooks/poster.ts";
import type { Tell } from "../journal.ts";
import type { TestTemporal } from "../world/temporal.ts";
import type { Kill, WebhookPlan } from "./plan.ts";
import type { SmallDisk } from "./small-disk.ts";
import type { WebhookSystem } from "./system.ts";

const posters = 64;

/** Deliveries a second while Temporal is away: at full speed, the minute would bring half a million. */
const perSecondMeanwhile = 500;

/** Refusals after which a full disk is freed: by then every poster has met one. */
const refusedMin = posters;

/** Deliveries that may be acknowledged while it is full: the log can reuse the room that it once took. */
const acknowledgedFullMax = 20_000;

/** What the posters went through. */
export type Endured = {
  /** Deliveries that were posted; all of them are acknowledged. */
  readonly deliveries: number;
  readonly counts: Poster["counts"];
  /** Deliveries acknowledged while Temporal was away. */
  readonly acknowledgedAway: number;
};

type OrdealParts = {
  readonly plan: WebhookPlan;
  readonly system: WebhookSystem;
  readonly temporal: TestTemporal;
  readonly disk: SmallDisk;
  readonly tell: Tell;
};

/** Lets 64 posters post while everything in the plan happens to the receiver. The caller closes it. */
export class Ordeal {
  readonly #parts: OrdealParts;
  readonly #poster: Poster;
  #acknowledgedAway = 0;

  constructor(parts: OrdealParts) {
    this.#parts = parts;
    const maker = parts.system.maker();
    this.#poster = new Poster({
      port: parts.system.receiverPort,
      connections: posters,
      make: (number) => maker.make(number),
    });
  }

  /** Resolves when everything has happened and all deliveries are acknowledged. @throws they are not in time. */
  async endure(): Promise<Endured> {
    const { plan } = this.#parts;
    let away = Promise.resolve();
    for (const [index, kill] of plan.kills.entries()) {
      if (index === plan.diskAt) await this.#fillDisk();
      if (index === plan.awayAt && plan.awayMs > 0) {
        away = this.#loseTemporal();
        // The error reaches whoever awaits it; until then a failure must not end this process.
        away.catch(() => undefined);
      }
      await this.#kill(kill);
    }
    await away;
    await this.#poster.finish();
    const { counts, acknowledged } = this.#poster;
    this.#parts.tell("everything is acknowledged", { acknowledged, ...counts });
    return { deliveries: acknowledged, counts, acknowledgedAway: this.#acknowledgedAway };
  }

  /** Ends the posting at once. */
  close(): void {
    this.#poster.close();
  }

  async #kill({ acknowledged, laterMs }: Kill): Promise<void> {
    const { system, tell } = this.#parts;
    await this.#poster.acknowledges(this.#poster.acknowledged + acknowledged);
    await delay(laterMs);
    await system.killReceiver();
    tell("the receiver is killed", { acknowledged: this.#poster.acknowledged });
    await system.startReceiver();
  }

  /** Once there is room again, the receiver takes deliveries by itself. */
  async #fillDisk(): Promise<void> {
    const { system, disk, tell } = this.#parts;
    await disk.fill(system.receiverPid);
    const tooMany = this.#poster.acknowledged + acknowledgedFullMax;
    await Promise.race([
      this.#poster.refuses(this.#poster.counts.refused + refusedMin),
      this.#poster.acknowledges(tooMany),
    ]);
    const { acknowledged } = this.#poster;
    if (acknowledged >= tooMany) throw new Error("a full disk is acknowledged to for ever");
    tell("the disk is full", { means: disk.means, acknowledged });
    await disk.free(system.receiverPid);
    await this.#poster.acknowledges(acknowledged + posters);
    tell("the disk has room", { acknowledged: this.#poster.acknowledged });
  }

  async #loseTemporal(): Promise<void> {
    const { temporal, plan, tell } = this.#parts;
    const before = this.#poster.acknowledged;
    this.#poster.pace(perSecondMeanwhile);
    tell("Temporal goes away", { acknowledged: before });
    await temporal.crash(plan.awayMs);
    this.#acknowledgedAway = this.#poster.acknowledged - before;
    tell("Temporal is back", { acknowledged: this.#poster.acknowledged });
    this.#poster.pace(undefined);
  }
}
