import { describe } from "vitest";

import { itSaysWhatIsWrong } from "./refused.ts";

const allSyncs = "the syncs are accounts, contacts, crm_events";

describe("readBackfillInput", () => {
  itSaysWhatIsWrong({
    sync: [
      [{ sync: undefined }, `is missing: write which one, ${allSyncs}`, {}],
      [{ sync: null, limit: 5 }, "is missing", { limit: 5 }],
      [{ sync: 5 }, `must be the name of a sync in quotes: ${allSyncs}`, {}],
      [{ sync: ["accounts"] }, "must be the name of a sync in quotes", {}],
      [
        { sync: "acounts" },
        `no sync is called "acounts" (did you mean "accounts"?): ${allSyncs}`,
        {},
      ],
      [
        { sync: "contcats", limit: 5 },
        '(did you mean "contacts"?)',
        { sync: "contacts", limit: 5 },
      ],
      [
        { sync: "./exports/accounts.csv" },
        `no sync is called "./exports/accounts.csv": ${allSyncs}`,
        {},
      ],
      [
        { sync: "https://crm.example/a" },
        `no sync is called "https://crm.example/a": ${allSyncs}`,
        {},
      ],
      [{ sync: "select * from companies" }, allSyncs, {}],
      [{ sync: "toString" }, 'no sync is called "toString"', {}],
    ],
    keys: [
      [
        { keys: [] },
        "must be a list of 1 to 1000 keys, each a whole number or, in quotes, text",
        { keys: ["A-1", "A-2"] },
      ],
      [{ keys: "A-7, A-8" }, '["A-1", 1002]', { keys: ["A-7", "A-8"] }],
      [{ keys: 7 }, "must be a list", { keys: [7] }],
      [{ keys: {} }, "must be a list", { keys: ["A-1", "A-2"] }],
      [
        { keys: ["a"], from: "yesterday" },
        'does not go with "from": leave out "keys", or "from"',
        { keys: ["a"] },
      ],
      [
        { keys: ["a"], from: 1, to: 2, limit: 3 },
        'leave out "keys", or "from" and "to" and "limit"',
        { keys: ["a"] },
      ],
    ],
    "keys[1]": [
      [{ keys: ["a", 1.5, "b"] }, "each a whole number or, in quotes, text", { keys: ["a", "b"] }],
      [{ keys: ["a", 2 ** 53] }, "more than 15 digits need quotes", { keys: ["a"] }],
    ],
    "keys[0]": [
      [{ keys: ["", "k".repeat(257)] }, "text of 1 to 256 characters", { keys: ["A-1", "A-2"] }],
    ],
    mode: [
      [{ mode: "light" }, 'must be "auto" or "lightweight" or "heavyweight"', { mode: "auto" }],
      [{ mode: "heavywieght" }, '(did you mean "heavyweight"?)', { mode: "heavyweight" }],
      [{ mode: 1 }, 'must be "auto" or', { mode: "auto" }],
    ],
    limit: [
      [{ limit: 0 }, "must be a whole number of rows from 1 on", { limit: 1000 }],
      [{ limit: "1,000" }, "such as 1000", { limit: 1000 }],
      [{ limit: 1.5 }, "whole number", { limit: 1000 }],
    ],
    lanes: [
      [{ lanes: 0 }, "must be a whole number from 1 to 16", { lanes: 4 }],
      [{ lanes: 17 }, "from 1 to 16", { lanes: 4 }],
      [{ lanes: "four" }, "from 1 to 16", { lanes: 4 }],
    ],
    send: [
      [{ send: "everything" }, 'must be "changed" or "all"', { send: "changed" }],
      [{ send: true }, 'must be "changed" or "all"', { send: "changed" }],
    ],
    approve: [
      [{ approve: "yes" }, 'must be "ask" or "auto"', { approve: "ask" }],
      [{ approve: true }, 'must be "ask" or "auto"', { approve: "ask" }],
    ],
    note: [
      [
        { note: "n".repeat(501) },
        "must be text of at most 500 characters",
        { note: "n".repeat(99) },
      ],
      [{ note: 5 }, "in quotes", {}],
    ],
    advance_checkpoint: [
      [{ advance_checkpoint: "true", to: "now" }, "true or false, without quotes", { to: "now" }],
      [{ advance_checkpoint: true }, 'goes with "to" only', {}],
      [
        { advance_checkpoint: true, to: "now", limit: 5 },
        'does not go with "limit"',
        { to: "now", limit: 5 },
      ],
    ],
    time_zone: [
      [
        { time_zone: "Europe/Pariss" },
        'no time zone is called "Europe/Pariss" (did you mean "Europe/Paris"?)',
        { time_zone: "Europe/Paris" },
      ],
      [{ time_zone: "Mars/Olympus" }, "leave it out for the sync's own", {}],
      [{ time_zone: "+02:00" }, 'no time zone is called "+02:00"', {}],
      [{ time_zone: 2 }, "must be the name of a time zone in quotes", {}],
    ],
  });
});
