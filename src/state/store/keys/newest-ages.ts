/** Returns the newest age at which an accepted staging saw each of some keys of a set; 0 if none did. */
export type NewestOf = (setId: number, keys: readonly string[]) => Promise<readonly number[]>;

/** The ages of keys; each database keeps what stagings saw in its own way. */
export type NewestAges = {
  /** Runs `work`, which may ask for ages: what has to be read of a set for them is read once. */
  asking<Result>(this: void, work: (newestOf: NewestOf) => Promise<Result>): Promise<Result>;
};
