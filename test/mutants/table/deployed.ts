import type { Mutant } from "../mutant.ts";

/** Mutants of how a project begins and where it runs: `init`, alerts, manifests, and where records go. */
export const mutantsOfDeployed: readonly Mutant[] = [
  {
    id: "S2264",
    plants: "an alert ends with the last worker",
    edits: [
      {
        file: "deploy/prometheus/alerts.yaml",
        find: "max by (sync) (last_over_time(sluice_last_success_timestamp_seconds[2d])) >",
        replace: "max by (sync) (sluice_last_success_timestamp_seconds) >",
      },
    ],
    test: {
      file: "test/e2e/monitoring/prometheus.prove.ts",
      title: "promtool takes the rules and the example, and each alert fires in its test",
    },
    whyProve: "it needs Prometheus",
  },
  {
    id: "S2265",
    plants: "a worker does not say that its records go to a sandbox",
    edits: [
      {
        file: "src/cli/serve/start-worker.ts",
        find: 'if (baseUrl === "sandbox") {',
        replace: 'if (baseUrl !== "sandbox") {',
      },
    ],
    test: {
      file: "test/src/cli/serve/start-worker.test.ts",
      title: "says where records go, and warns where that is a sandbox",
    },
  },
  {
    id: "S2266",
    plants: "the status does not say that records go to a sandbox",
    edits: [
      {
        file: "src/cli/status/text.ts",
        find: 'status.service === "sandbox"',
        replace: 'status.service === ""',
      },
    ],
    test: {
      file: "test/src/cli/status/look.test.ts",
      title: "says where records go if that is a sandbox, which a file without an address may mean",
    },
  },
  {
    id: "S2267",
    plants: "a password with a $ that init keeps in .env is another one under Compose",
    edits: [
      {
        file: "src/cli/project/files.ts",
        find: 'value.includes("$") ?',
        replace: 'value.includes("\\n") ?',
      },
    ],
    test: {
      file: "test/src/cli/project/files.test.ts",
      title: "quotes a $, which Compose fills in where no single quotes hold it",
    },
  },
  {
    id: "S2268",
    plants:
      "a column called as a variable without braces makes the file that init writes a mistake",
    edits: [
      {
        file: "src/config/document/interpolate.ts",
        find: "bareName.test(text) ?",
        replace: 'text === "" ?',
      },
    ],
    test: {
      file: "test/src/cli/project/suggest-sync.test.ts",
      title: "keeps a column whose name looks like a variable without braces",
    },
  },
  {
    id: "S2269",
    plants: "init leaves half a project where a file has the name of a folder",
    edits: [
      {
        file: "src/cli/project/init.ts",
        find: "    files.map(({ name }) => name),\n",
        replace: "    [],\n",
      },
    ],
    test: {
      file: "test/src/cli/project/init.test.ts",
      title: "writes nothing where a file has the name of the folder of tests",
    },
  },
  {
    id: "S2270",
    plants: "a held run may stage more than the volume of its pod takes",
    edits: [
      {
        file: "deploy/kubernetes/config.yaml",
        find: "staging_max: 5GB",
        replace: "staging_max: 50GB",
      },
    ],
    test: {
      file: "test/house/kubernetes.test.ts",
      title: "fails a run that stages too much before it fills its worker's volume",
    },
  },
  {
    id: "S2271",
    plants: "npm run demo empties the folder of an example that still runs, where there is no ps",
    edits: [
      {
        file: "tools/dev.mjs",
        find: 'if (args !== undefined) return args.includes("sluice.js dev");',
        replace: 'if (args !== undefined) return args.includes("ps sluice.js dev");',
      },
    ],
    test: {
      file: "test/tools/dev.test.ts",
      title: "an example that was kept is noticed where there is no ps, and its folder stays",
    },
  },
];
