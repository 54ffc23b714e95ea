/** Files: when the service was last given one, whose records it may still be applying. */
export interface LastFileStore {
  /**
   * When the newest file of these syncs was accepted (Unix ms), of runs that continued after `since` (ISO);
   * null for none.
   */
  lastFileAt(input: {
    readonly target: string;
    readonly syncs: readonly string[];
    readonly since: string;
  }): number | null;
}
