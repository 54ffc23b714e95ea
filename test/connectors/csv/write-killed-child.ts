// Writes a page into scores.csv of the given folder, unless it is killed first.
import { writeCsv } from "../../../connectors/csv/write.ts";
import { configOf, keptLog } from "./support.ts";

const config = configOf(process.argv[2] ?? "", { file: "scores.csv" });
const { signal } = new AbortController();
const patches = [{ key: { id: "1" }, set: { fit: "new" } }];
await writeCsv({ config, signal, log: keptLog(), patches });
