/** The time that a mapping module sees, and the zone of its local times. */
type FixedClock = {
  /** In ms since 1970. */
  readonly now: number;
  readonly timeZone: string;
};

/**
 * Does something while the clock of this thread is stopped, in a zone. Only for a process that does nothing else
 * meanwhile: everything that asks `Date` gets the same time.
 */
export async function withFixedClock<Result>(
  { now, timeZone }: FixedClock,
  work: () => Promise<Result>,
): Promise<Result> {
  const { Date: running } = globalThis;
  const { TZ: zone } = process.env;
  globalThis.Date = stoppedAt(now, running);
  process.env["TZ"] = timeZone;
  try {
    return await work();
  } finally {
    globalThis.Date = running;
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
}

/** The same class, so that a date of either is an instance of the other. */
function stoppedAt(now: number, running: DateConstructor): DateConstructor {
  return new Proxy(running, {
    construct: (target, given, asked) => {
      const made: unknown = Reflect.construct(target, given.length === 0 ? [now] : given, asked);
      return made instanceof target ? made : new target(now);
    },
    apply: (target) => new target(now).toString(),
    get: (target, name, receiver) =>
      name === "now" ? (): number => now : (Reflect.get(target, name, receiver) as unknown),
  });
}
