import { oracleRecord, type OracleRecord } from "./accounts.ts";

/** The mapping of README.md as a module: makes the same records as its rules. */
export function mapRecord(row: Readonly<Record<string, string>>): OracleRecord {
  return oracleRecord(row);
}
