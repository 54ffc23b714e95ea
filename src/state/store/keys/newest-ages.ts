/** Asks at which age an accepted staging saw each of some keys of a set last; 0 where none did. */
export type NewestOf = (setId: number, keys: readonly string[]) => Promise<readonly number[]>;

/** How new keys are; each database keeps what stagings saw in its own way. */
export type NewestAges = {
  /** Has `work` ask: what has to be read of a set for its answers is read once. */
  asking<Result>(this: void, work: (newestOf: NewestOf) => Promise<Result>): Promise<Result>;
};
