/** Step 12: rejects by their key, so that `explain` does not read all of them. */
export const rejectKeys = "create index rejects_by_key on rejects (key) where key is not null;";
