import { planting, type Mutant } from "../mutant.ts";

const twoClocks = "test/src/state/postgres/two-clocks.test.ts";
const permit = "src/state/postgres/permit.ts";
const plant = planting({ file: twoClocks, title: "holds back" });

/** Mutants of several hosts on one store: their clocks, which of them works, and who may begin. */
export const mutantsOfHosts: readonly Mutant[] = [
  plant({
    id: "S1030",
    plants: "a host with a store in Postgres goes by its own clock",
    file: "src/state/postgres/clock.ts",
    find: 'if (source === "callers") return callers;',
    replace: "if (source !== undefined) return callers;",
  }),
  plant({
    id: "S1031",
    plants: "a host waits for a 429 by the difference of two clocks",
    file: "src/state/store/rate-limit.ts",
    find: "blockedUntil - now.nowMs + callers.nowMs",
    replace: "blockedUntil",
  }),
  plant({
    id: "S1032",
    plants: "two hosts that ask at once get one permit",
    file: permit,
    find: "next_permit = greatest(next_permit, ${steady}) + ${spacing}::float8",
    replace: "next_permit = greatest(next_permit, ${steady})",
    title: "one rate",
  }),
  plant({
    id: "S1033",
    plants: "on Postgres nobody who waits for a permit goes before one who asks later",
    file: permit,
    find: "and reservations = '[]'",
    replace: "",
    test: "test/src/state/rate-limit.test.ts",
    title: "gives a lower priority every tenth permit",
  }),
  plant({
    id: "S1034",
    plants: "on Postgres a permit is given while another limit of the request blocks",
    file: permit,
    find: "and (o.boot_id is distinct from ${bootId} or o.blocked_until > ${steady})",
    replace: "and false",
    test: "test/src/state/rate-limit.test.ts",
    title: "lets nobody pass of those whom it concerns",
  }),
  plant({
    id: "S1035",
    plants: "a process hears the database's clock once",
    file: "src/state/postgres/followed-clock.ts",
    find: "  const timer = setInterval(() => void follow().catch(() => undefined), askEveryMs);",
    replace: "  const timer = setInterval(() => void follow, askEveryMs);",
    test: "test/src/state/postgres/followed-clock.test.ts",
    title: "asked every ten seconds",
  }),
];
