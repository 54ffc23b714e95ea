import { syncBuiltinESMExports } from "node:module";
import threads, { Worker, type WorkerOptions } from "node:worker_threads";

import { z } from "zod";

import { bundlesVariable } from "./bundle.ts";

const bundles = z
  .record(z.string(), z.string())
  .parse(JSON.parse(process.env[bundlesVariable] ?? "{}"));

/** A thread whose code comes from its bundle, if it has one. */
class BundledWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    const bundle = bundles[String(file)];
    super(bundle === undefined ? file : new URL(bundle), options);
  }
}

// Test files share a process.
if (threads.Worker.name !== BundledWorker.name) {
  threads.Worker = BundledWorker;
  syncBuiltinESMExports();
}
