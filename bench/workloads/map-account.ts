import { oracleRecord, type OracleRecord } from "./accounts.ts";

/** The mapping of README.md as a module: the same records as its rules make. */
export function mapRecord(row: Readonly<Record<string, string>>): OracleRecord {
  return oracleRecord(row);
}
