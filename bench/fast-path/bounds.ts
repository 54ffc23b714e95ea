/** The parts of the table, by the name that `--only` takes. */
export const partNames = [
  "staging",
  "start",
  "small",
  "runs",
  "postgres",
  "keys",
  "tenfold",
  "metrics",
] as const;

/** See `partNames`. */
export type PartName = (typeof partNames)[number];

/** A promise of the fast path, and its aim. */
export type Bound = {
  readonly part: PartName;
  readonly what: string;
  /** The largest allowed value; more breaks the promise. */
  readonly must: number;
  /** The largest value that reaches the aim. */
  readonly aim: number;
  /** The unit of all three figures; empty if they are multiples of another program's figure. */
  readonly unit: "" | "MB" | "s" | "µs";
};

/** Every bound, in the order of the table. Unless it says otherwise, a ratio compares processor seconds. */
export const bounds = {
  allBesideDuckdb: {
    part: "staging",
    what: "staging, `send: all`, beside DuckDB's COPY to jsonl.gz in chunks",
    must: 0.3,
    aim: 0.12,
    unit: "",
  },
  allBesidePigz: {
    part: "staging",
    what: "staging, `send: all`, beside `pigz -1 -p 1` on the ready JSONL",
    must: 1.6,
    aim: 0.7,
    unit: "",
  },
  firstBesideDuckdb: {
    part: "staging",
    what: "staging, first load, beside DuckDB's COPY",
    must: 0.5,
    aim: 0.3,
    unit: "",
  },
  unchangedBesideDuckdb: {
    part: "staging",
    what: "staging, all unchanged, beside DuckDB's COPY, which writes everything",
    must: 0.2,
    aim: 0.11,
    unit: "",
  },
  unchangedBesideSqlite: {
    part: "staging",
    what: "staging, all unchanged, beside `sqlite3 .import` of the CSV",
    must: 1.5,
    aim: 1,
    unit: "",
  },
  sizeBesideZlib: {
    part: "staging",
    what: "size of the files, beside zlib's at level 1",
    must: 1.1,
    aim: 1,
    unit: "",
  },
  helpBesideNode: {
    part: "start",
    what: "`sluice --help`, beside `node -e 0`, wall",
    must: 4,
    aim: 2.5,
    unit: "",
  },
  validateBesideNode: {
    part: "start",
    what: "`sluice validate`, beside `node -e 0`, wall",
    must: 12,
    aim: 8,
    unit: "",
  },
  smallRunTemporalUp: {
    part: "small",
    what: "`sluice run` of 295 rows, Temporal up, wall",
    must: 1.3,
    aim: 0.8,
    unit: "s",
  },
  smallRunWorkerUp: {
    part: "small",
    what: "`sluice run` of 295 rows, Temporal and a worker up, wall",
    must: 0.9,
    aim: 0.6,
    unit: "s",
  },
  unchangedRunBesideDuckdb: {
    part: "runs",
    what: "`sluice run`, all unchanged, a worker up, beside DuckDB's COPY and `curl` PUT, wall",
    must: 0.5,
    aim: 0.2,
    unit: "",
  },
  allRunBesideDuckdb: {
    part: "runs",
    what: "`sluice run`, `send: all`, a worker up, beside DuckDB's COPY and `curl` to the same service, wall",
    must: 0.6,
    aim: 0.3,
    unit: "",
  },
  runBesideStaging: {
    part: "runs",
    what: "`sluice run`, `send: all`, less one of 295 rows, beside staging alone",
    must: 1.5,
    aim: 1.2,
    unit: "",
  },
  workerRss: {
    part: "runs",
    what: "peak RSS of the worker, `send: all` and all unchanged",
    must: 400,
    aim: 300,
    unit: "MB",
  },
  firstBesideCopy: {
    part: "postgres",
    what: "Postgres to chunks, first load, beside `\\copy` of the same query to a file, wall",
    must: 4,
    aim: 2.5,
    unit: "",
  },
  unchangedKey: {
    part: "keys",
    what: "an unchanged key among all that the store knows",
    must: 6,
    aim: 3,
    unit: "µs",
  },
  millionKeys: {
    part: "keys",
    what: "a million keys in the store's file, without field hashes and key lists",
    must: 60,
    aim: 45,
    unit: "MB",
  },
  unchangedTenfold: {
    part: "tenfold",
    what: "staging all rows, unchanged, beside a tenth of them",
    must: 11,
    aim: 10,
    unit: "",
  },
  firstTenfold: {
    part: "tenfold",
    what: "staging all rows, first load of random keys, beside a tenth of them",
    must: 15,
    aim: 11,
    unit: "",
  },
  metricsBesideNone: {
    part: "metrics",
    what: "a worker with `--http`, scraped every 15 s, beside one without: all unchanged, pair by pair",
    must: 1.01,
    aim: 1.005,
    unit: "",
  },
} as const satisfies Readonly<Record<string, Bound>>;

/** The name of a bound. */
export type BoundName = keyof typeof bounds;
