// What V8 hears at the start of a process only. All that a receiver has under way survives a collection, and
// a young generation that is too small for it makes it old. V8's helpers take the other core from whoever
// writes the inbox (measured: twice as many deliveries without). And while it marks the old generation in
// steps, all that comes and goes stays: 30 MB, to save a pause of 50 ms now and then.
export const receiverFlags = [
  "--min-semi-space-size=8",
  "--max-semi-space-size=8",
  "--single-threaded-gc",
  "--no-incremental-marking",
];
