import { z } from "zod";

import { jsonColumn } from "../json-column.ts";

/** A beat as stored; `configs` is JSON: the hash of each configuration by its name. */
export const beatRow = z
  .object({
    hostId: z.string(),
    /** Process number of the worker. */
    process: z.string(),
    /** Temporal's cluster and namespace, as in `runs`. */
    temporalId: z.string(),
    /** Unix ms by the clock that decides. */
    lastBeat: z.number(),
    /** Version of sluice. */
    version: z.string(),
    /** Name of its process, which no later process has (`processName`). */
    name: z.string(),
    /** The command that started it: `dev`, `worker`, or the one with which it ends. */
    command: z.string(),
    /** The configuration of each sync and pull that it works with (`configMarks`); empty while Temporal is away. */
    configs: jsonColumn.pipe(z.record(z.string(), z.string())),
    /** Name of its state folder, which no copy of it has. */
    folder: z.string(),
  })
  .readonly();

/** A sign of life of one worker. */
export type Beat = z.output<typeof beatRow>;

/** A beat as a worker gives it; for members that it leaves out, the defaults of the columns apply. */
export type NewBeat = Omit<Beat, "command" | "configs" | "folder" | "name"> &
  Partial<Pick<Beat, "command" | "configs" | "folder" | "name">>;

/** The Temporal that a store is used with. */
export const temporalRow = z.object({
  /** As in `runs`. */
  id: z.string(),
  /** `host:port`, as the first process to name it reached it. */
  at: z.string(),
  namespace: z.string(),
});

/** The Temporal that a store is used with. */
export type TemporalRecord = Readonly<z.output<typeof temporalRow>>;

/** Live workers: each beats every `hostBeatMs`, and one that has not for `hostLostAfterMs` is gone. */
export interface HostStore {
  /**
   * Stores a worker's beat in place of its last, and forgets workers that were silent for `hostForgottenMs`. The first
   * beat after a silence of all workers adds to open runs how long nothing ran.
   */
  beat(input: NewBeat): void;
  /** Removes a worker at once, because it stopped in an orderly way. */
  stopBeating(input: Pick<Beat, "hostId" | "process">): void;
  /** The workers that have beaten within this many ms; `nowMs` is the caller's clock, in Unix ms. */
  beats(input: { readonly nowMs: number; readonly withinMs: number }): Beat[];
  /**
   * Chooses where a lane of a run works from now on, and notes it: the one of `hosts` with the fewest lanes of runs
   * that hold a lock, and the first of several.
   */
  chooseHost(input: {
    readonly runId: string;
    readonly lane: number;
    /** Lanes of this run that are over, and no longer count. */
    readonly over?: readonly number[] | undefined;
    readonly hosts: readonly [string, ...string[]];
  }): string;
  /** The Temporal that the store is used with; undefined before the first is noted. */
  usedTemporal(): TemporalRecord | undefined;
  /** Notes the Temporal that the store is used with, if none is noted or it is rebound; returns the noted one. */
  bindTemporal(input: {
    readonly temporal: TemporalRecord;
    readonly isRebound: boolean;
  }): TemporalRecord;
  /** The time by the clock that decides; in Unix ms, as is the caller's. */
  storeTime(callersMs: number): number;
}
