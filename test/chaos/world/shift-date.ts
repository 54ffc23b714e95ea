// Loaded before a program whose clock should be wrong, on a machine without libfaketime.
import { z } from "zod";

const aheadMs = Number(process.env["CHAOS_CLOCK_MS"]);
const trueNow = Date.now;

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget): object => {
    const given: unknown[] = args.length === 0 ? [trueNow() + aheadMs] : args;
    return z.date().parse(Reflect.construct(target, given, newTarget));
  },
  apply: () => new Date().toString(),
});
Date.now = () => trueNow() + aheadMs;
