import { describe, expect, it } from "vitest";

import {
  interpolate,
  referencesIn,
  variablesIn,
} from "../../../../src/config/document/interpolate.ts";

const variables = new Map([
  ["HOST", "db.example"],
  ["EMPTY", ""],
  ["TRICK", "${HOST} $& $1"],
]);

describe("interpolate", () => {
  it.each([
    ["plain $HOST {HOST} $", "plain $HOST {HOST} $"],
    ["${HOST}", "db.example"],
    ["a ${HOST}:${PORT:-5432} z", "a db.example:5432 z"],
    ["[${EMPTY}]", "[]"],
    ["${EMPTY:-full}", "full"],
    ["${UNSET:-}", ""],
    ["${UNSET:-a b:-c#$}", "a b:-c#$"],
    ["${HOST:-other}", "db.example"],
    ["$${HOST}", "${HOST}"],
    ["$$${HOST}", "$${HOST}"],
    ["${TRICK}", "${HOST} $& $1"],
    ["$AMOUNT", "$AMOUNT"],
    ["$amount_due", "$amount_due"],
    ["${NONE:-$FORMS_SECRET}", "$FORMS_SECRET"],
  ])("makes of %s %s", (text, expected) => {
    expect(interpolate(text, variables)).toEqual({ text: expected, mistakes: [] });
  });

  it("says which references name a variable that is not set", () => {
    const { mistakes } = interpolate("$${A} ${HOST} ${HOSTS} ${__proto__} ${toString}", variables);
    expect(mistakes).toEqual([
      { ordinal: 2, message: 'variable HOSTS is not set (did you mean "HOST"?)' },
      { ordinal: 3, message: "variable __proto__ is not set" },
      { ordinal: 4, message: "variable toString is not set" },
    ]);
  });

  it.each(["HOST", "FORMS_SECRET"])("refuses $%s, which a shell would fill in", (name) => {
    const message = `lacks its braces: write \${${name}} for the variable, or \${NONE:-$${name}} for this text`;
    expect(interpolate(`$${name}`, variables).mistakes).toEqual([{ ordinal: 0, message }]);
  });

  it.each(["${", "${}", "${1A}", "${A B}", "${HOST", "${A-b}", "${A:-${B}}"])(
    "refuses %s",
    (text) => {
      expect(interpolate(text, variables).mistakes).toEqual([
        { ordinal: 0, message: "must be ${NAME} or ${NAME:-default}; write $${ for a plain ${" },
      ]);
    },
  );
});

describe("referencesIn", () => {
  it("gives the place of every reference and escape", () => {
    expect(referencesIn("a ${B} $${C} ${")).toEqual([2, 7, 13]);
  });
});

describe("variablesIn", () => {
  it("gives the names, but not of escapes", () => {
    expect(variablesIn("${A}-${B:-c} $${D}")).toEqual(["A", "B"]);
  });
});
