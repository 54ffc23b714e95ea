import type { Case, Column, Says } from "./play/cell.ts";
import { answers } from "./table/answers.ts";
import { bodies } from "./table/bodies.ts";
import { elsewhere } from "./table/elsewhere.ts";
import { certificates, sockets } from "./table/sockets.ts";

/** Rows of docs/facts/faults.md#actions. */
export const rowsOfTable = 48;

const played: readonly Case[] = [...answers, ...bodies, ...sockets, ...certificates];

/**
 * Every line of the table for the columns generate, PUT, confirm, upload-json and a page: played cells, and cells with
 * a test of their own.
 */
export const lines: readonly {
  readonly row: number;
  readonly fault: string;
  readonly says: Readonly<Record<Column, Says>>;
}[] = [...played, ...elsewhere];
