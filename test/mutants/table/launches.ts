import { planting, type Mutant } from "../mutant.ts";

const launch = "bin/launch.js";
const test = "test/src/cli/launch.test.ts";
const behindOptions = planting({
  file: test,
  title: "knows a verb behind the options of every command",
});
const once = planting({
  file: test,
  title: "starts once where it only tells its help, or sends one delivery",
});
const ofUser = planting({ file: test, title: "leaves a user's own variables" });
const refused = planting({
  file: test,
  title: "goes on without them where Node may start no program",
});
const handed = planting({
  file: test,
  title: "keeps a lock that it was handed, and a file that its words name",
});

/** Mutants of how a command restarts itself, and of who gets its signals. */
export const mutantsOfLaunches: readonly Mutant[] = [
  behindOptions({
    id: "S1590",
    plants: "the word of --color is taken for the verb",
    file: launch,
    find: ' && words[index - 1] !== "--color"',
    replace: "",
  }),
  once({
    id: "S1591",
    plants: "a command that tells its help starts twice",
    file: launch,
    find: "if (asksForHelp || ",
    replace: "if (",
  }),
  ofUser({
    id: "S1592",
    plants: "a size in NODE_OPTIONS is overruled, where it is written with underscores",
    file: launch,
    find: '.replaceAll("_", "-")',
    replace: "",
  }),
  refused({
    id: "S1593",
    plants: "a command ends where Node may not start it once more",
    file: "bin/sluice.js",
    find: ' || permission?.has("child") === false',
    replace: "",
  }),
  handed({
    id: "S1594",
    plants: "a lock that a command was handed is given up as it starts",
    file: launch,
    find: '.includes("\\nlock:")',
    replace: '.includes("\\nlocked:")',
  }),
  {
    id: "S1595",
    plants: "a transfer breaks off once nobody reads how it gets on",
    edits: [
      {
        file: "src/cli/output/output.ts",
        find: '  process.stderr.on("error", () => undefined);\n',
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/output/broken-pipe.test.ts",
      title: "does not end a command whose progress nobody reads any more",
    },
  },
  {
    id: "S1650",
    plants: "a command on a full disk ends with 0",
    edits: [
      {
        file: "src/cli/output/output.ts",
        find: "process.exitCode ||= exitCodes.failed",
        replace: "process.exitCode ||= exitCodes.done",
      },
    ],
    test: {
      file: "test/src/cli/output/broken-pipe.test.ts",
      title: "says once that what it prints cannot be written, goes on, and ends with 1",
    },
  },
  {
    id: "S2260",
    plants: "`sluice state reset` leaves syncs as they are once nobody reads of it",
    edits: [
      {
        file: "src/cli/status/state.ts",
        find: "      outliveReader();\n      const { syncs }",
        replace: "      const { syncs }",
      },
    ],
    test: {
      file: "test/src/cli/output/broken-pipe.test.ts",
      title: "sluice state reset has done its work for every sync",
    },
  },
  {
    id: "S2013",
    plants: "the first set-up shows every warning that npm has",
    edits: [{ file: "tools/set-up.mjs", find: ', "--loglevel=error"', replace: "" }],
    test: {
      file: "test/tools/set-up.test.ts",
      title: "tells its own steps, and npm no more than how many packages there are",
    },
  },
  {
    id: "S2014",
    plants: "a secret is shown by an error if it holds a dollar sign with a brace",
    edits: [
      {
        file: "src/config/messages/shown-text.ts",
        find: "return text.replaceAll(referenceOrOne",
        replace: 'return text.includes("${") ? text : text.replaceAll(referenceOrOne',
      },
    ],
    test: {
      file: "test/src/config/messages/shown-text.test.ts",
      title: 'makes of "password: $${a}b" "password: ******"',
    },
  },
  {
    id: "S2199",
    plants: "a secret that became part of a member's name is shown by the error that says so",
    edits: [
      {
        file: "src/config/messages/mistakes.ts",
        find: "? name : nameOnly(name);",
        replace: "? name : name;",
      },
    ],
    test: {
      file: "test/src/config/shown-secrets.test.ts",
      title: "shows no secret, with api: { api_key=hunter2 }",
    },
  },
  {
    id: "S2261",
    plants: "a blank in the name of a member is taken for one before its value",
    edits: [
      {
        file: "src/config/messages/mistakes.ts",
        find: "isSameWord(each, name)",
        replace: "each === name",
      },
    ],
    test: {
      file: "test/src/config/messages/mistakes.test.ts",
      title: "takes no name with another separator for a value without its colon: page size",
    },
  },
  {
    id: "S2206",
    plants: "a secret that begins with an ampersand is shown by any error in its line",
    edits: [
      {
        file: "src/config/messages/shown-text.ts",
        find: "const begin = mark < 0 ? from : before + mark;",
        replace: "const begin = mark < -1 ? before : from;",
      },
    ],
    test: {
      file: "test/src/config/shown-secrets.test.ts",
      title: "shows no secret, with api: { api_key: &hunter2, acount: x }",
    },
  },
  {
    id: "S2156",
    plants: "status says nothing of a worker that was started before a sync was added",
    edits: [
      {
        file: "src/cli/status/workers.ts",
        find: 'lacks === ""',
        replace: 'lacks >= ""',
      },
    ],
    test: {
      file: "test/src/cli/status/workers.test.ts",
      title:
        "are also those that lack a sync which was added since, which are named with what they lack",
    },
  },
  {
    id: "S2159",
    plants: "status says nothing of a worker that has the address or key from before",
    edits: [
      {
        file: "src/cli/status/workers.ts",
        find: 'isMarked(worker) ? namesWith("changed")',
        replace: 'isMarked(worker) ? ""',
      },
    ],
    test: {
      file: "test/src/cli/status/workers.test.ts",
      title:
        "are also those that have another configuration, address or key, which are named with the syncs",
    },
  },
  {
    id: "S2158",
    plants: "a command waits without a word for another one that starts a shared server",
    edits: [
      {
        file: "src/local/shared-service.ts",
        find: "acquire, request.waiting)",
        replace: "acquire)",
      },
    ],
    test: {
      file: "test/src/local/shared-service.test.ts",
      title: "says once that it waits while another command starts the server",
    },
  },
  {
    id: "S2157",
    plants: "a file that changed while a worker started is never said to have changed",
    edits: [
      {
        file: "src/cli/serve/watch-config.ts",
        find: "  look(); // the watch",
        replace: "  // the watch",
      },
    ],
    test: {
      file: "test/src/cli/serve/watch-config.test.ts",
      title: "warns once of a file that changed between its reading and the watch",
    },
  },
  {
    id: "S2153",
    plants: "a number that is too large for its last digits is sent rounded",
    edits: [
      {
        file: "src/config/document/values.ts",
        find: "Math.abs(value) > Number.MAX_SAFE_INTEGER",
        replace: "Math.abs(value) > Number.MAX_VALUE",
      },
    ],
    test: {
      file: "test/src/config/document/document.test.ts",
      title: "refuses the number 12345678901234567890, which would lose digits",
    },
  },
  {
    id: "S2154",
    plants: "a byte order mark belongs to the name of the first variable",
    edits: [
      {
        file: "src/config/document/variables.ts",
        find: 'text.replace(/^\\uFEFF/, "")',
        replace: "text",
      },
    ],
    test: {
      file: "test/src/config/document/variables.test.ts",
      title: "takes the first variable of a file that begins with a byte order mark",
    },
  },
  {
    id: "S2155",
    plants: "the start of a process is told in the zone of whoever asks",
    edits: [
      {
        file: "src/local/process-identity.ts",
        find: 'LC_ALL: "C", TZ: "UTC"',
        replace: 'LC_ALL: "C", TZ: process.env["TZ"]',
      },
    ],
    test: {
      file: "test/src/local/process-identity.test.ts",
      title: "tells the same start in UTC, whatever the zone of whoever asks",
    },
  },
  {
    id: "S2165",
    plants: "doctor says that no Temporal runs while the project's own does not answer",
    edits: [
      {
        file: "src/cli/project/doctor.ts",
        find: "await lookForTemporal(context, config)",
        replace: "await lookForTemporal(context, config && undefined)",
      },
    ],
    test: {
      file: "test/src/cli/project/doctor.test.ts",
      title:
        "fails where the project's own Temporal runs and does not answer, whatever listens elsewhere",
    },
  },
];
