import { isDeepStrictEqual } from "node:util";

import { answers } from "../right-connection.ts";
import { rightAbilities, rightSource } from "../right.ts";
import { reading, type Broken } from "./broken.ts";

/** Mistakes in a connector's abilities other than `read`. */
export const abilityMistakes: readonly Broken[] = [
  {
    name: "at and up to it",
    what: "covers with `at` also what changed just then",
    check: "A1",
    make: () =>
      rightSource({ at: (ask) => ({ changed: rightAbilities.at(ask).changed, id: "~" }) }),
  },
  {
    name: "at the second",
    what: "cuts the time that `at` is given down to its second",
    check: "A1",
    make: () =>
      rightSource({
        at: ({ when }) => ({ changed: `${when.toISOString().slice(0, 19)}.000000Z`, id: "" }),
      }),
  },
  {
    name: "parts with gaps",
    what: "begins each part a row after the one before",
    check: "A2",
    make: () =>
      rightSource({
        split: async (ask) => {
          const parts = await rightAbilities.split(ask);
          return parts.map((part, index) => {
            const { from, to } = part;
            if (index === 0 || from === undefined) return part;
            return { from: { changed: from.changed, id: `${from.id}~` }, to };
          });
        },
      }),
  },
  {
    name: "parts that overlap",
    what: "begins each part where the one before began",
    check: "A2",
    make: () =>
      rightSource({
        split: async (ask) => {
          const parts = await rightAbilities.split(ask);
          return parts.map(({ to }, index) => ({ from: parts[index - 1]?.from ?? ask.from, to }));
        },
      }),
  },
  {
    name: "parts of the whole",
    what: "splits the whole source, whatever the span",
    check: "A2",
    make: () =>
      rightSource({
        split: async (ask) =>
          await rightAbilities.split({ ...ask, from: undefined, to: undefined }),
      }),
  },
  {
    name: "names by their order",
    what: "calls what `get` found by the names it was asked for, in their order",
    check: "A3",
    make: () =>
      rightSource({
        get: async (ask) => {
          const got = await rightAbilities.get(ask);
          const ids = ask.names.map((name) => name.replace(/^rows:/, ""));
          return { ...got, where: (index) => `rows:${ids[index]}` };
        },
      }),
  },
  {
    name: "missing not told",
    what: "says of no row that it is missing",
    check: "A3",
    make: () =>
      rightSource({ get: async (ask) => ({ ...(await rightAbilities.get(ask)), missing: [] }) }),
  },
  {
    name: "check that finds nothing",
    what: "finds in `check` that everything is all right, without a look",
    check: "A4",
    make: () =>
      rightSource({
        check: async (ask) => [{ name: "read", ok: true, detail: ask.config.table }],
      }),
  },
  {
    name: "check without a fix",
    what: "finds in `check` what is wrong, and says nothing of what to do",
    check: "A4",
    make: () =>
      rightSource({
        check: async (ask) => {
          const findings = await rightAbilities.check(ask);
          return findings.map(({ name, ok, detail }) => ({ name, ok, detail }));
        },
      }),
  },
  {
    name: "suggestion of another name",
    what: "suggests with `discover` a member that its schema does not know",
    check: "A5",
    make: () =>
      rightSource({
        discover: async (ask) => {
          const found = await rightAbilities.discover(ask);
          return found.map((one) => ({ ...one, from: { table_name: one.name } }));
        },
      }),
  },
  {
    name: "suggestion that is not there",
    what: "suggests with `discover` the name for people, which cannot be read",
    check: "A5",
    make: () =>
      rightSource({
        discover: async (ask) => {
          const found = await rightAbilities.discover(ask);
          return found.map((one) => ({ ...one, from: { table: `sample.${one.name}` } }));
        },
      }),
  },
  {
    name: "source that may not grow",
    what: "takes a source for another one when it has more rows than it had",
    check: "A9",
    make: () =>
      rightSource({
        recognize: async (ask) => {
          const identity = await rightAbilities.measure({ ...ask, from: undefined, to: undefined });
          const isOther = ask.known !== undefined && !isDeepStrictEqual(ask.known, identity);
          return { identity, shown: "rows", differs: isOther ? "it has other rows" : undefined };
        },
      }),
  },
  {
    name: "identity of today's form",
    what: "takes for granted that what was kept of a source has today's form",
    check: "A9",
    make: () =>
      rightSource({
        recognize: async (ask) => {
          if (ask.known !== undefined) answers.server.parse(ask.known);
          return await rightAbilities.recognize(ask);
        },
      }),
  },
  {
    name: "identity with the time",
    what: "keeps the second it was asked in, and takes any other second for another source",
    check: "A9",
    make: () =>
      rightSource({
        recognize: async ({ known = 0 }) => {
          const second = Math.floor(Date.now() / 1_000);
          const isOther = typeof known === "number" && known !== 0 && known !== second;
          return { identity: second, shown: "rows", differs: isOther ? "another time" : undefined };
        },
      }),
  },
  {
    name: "pages that come again",
    what: "says of all pages that they do not come again, and goes back a minute in each run",
    check: "A10",
    make: () =>
      reading(
        { page: (page) => ({ ...page, mayComeAgain: false }) },
        {
          rewind: ({ config, position }) => {
            const minuteMs = 60_000;
            return rightAbilities.at({
              config,
              when: new Date(Date.parse(position.changed) - minuteMs),
            });
          },
        },
      ),
  },
  {
    name: "identity with infinity",
    what: "keeps a number in its identity that JSON cannot hold",
    check: "A9",
    make: () =>
      rightSource({
        recognize: async (ask) => {
          const { identity, ...recognition } = await rightAbilities.recognize(ask);
          return { ...recognition, identity: { ...identity, rowsMax: Infinity } };
        },
      }),
  },
  {
    name: "identity with its token",
    what: "tells its token with what it knows a source by",
    check: "F5",
    make: () =>
      rightSource({
        recognize: async (ask) => {
          const recognition = await rightAbilities.recognize(ask);
          return { ...recognition, shown: `${ask.config.url}?token=${ask.config.token.reveal()}` };
        },
      }),
  },
];
