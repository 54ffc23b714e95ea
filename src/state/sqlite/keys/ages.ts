import { rowNumbersMax } from "../../contract/keys/fingerprints.ts";

/** An age in SQL. */
export const ageSql = (send: string, rowNumber: string): string =>
  `${send} * ${rowNumbersMax} + coalesce(${rowNumber}, 0)`;

/** The staging that an age names, in SQL. */
export const sendSql = (age: string): string => `cast(${age} / ${rowNumbersMax} as integer)`;
