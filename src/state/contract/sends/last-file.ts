/** Files: when the service last accepted one, whose records it may still be applying. */
export interface LastFileStore {
  /**
   * When the newest file of these syncs was accepted (Unix ms), in runs that had not ended before `since` (ISO); null
   * if there is none.
   */
  lastFileAt(input: {
    readonly target: string;
    readonly syncs: readonly string[];
    readonly since: string;
  }): number | null;
}
