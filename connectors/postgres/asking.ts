// Everything that asks a server, and pg with it: loaded with the first request, because most commands make none.
export { beforePostgres } from "./before.ts";
export { checkPostgres } from "./check.ts";
export { checkWritePostgres } from "./check-write.ts";
export { withSession } from "./client.ts";
export { discoverPostgres } from "./discover.ts";
export { getFromPostgres } from "./get.ts";
export { measurePostgres, splitPostgres } from "./measure.ts";
export { readPostgres } from "./read.ts";
export { readLimitOfPostgres } from "./read-limit.ts";
export { recognizePostgres } from "./recognize.ts";
export { repeatsInPostgres } from "./repeats.ts";
export { columnNames } from "./source.ts";
export { writePostgres } from "./write.ts";
