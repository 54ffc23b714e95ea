/** Where the blocks of one file go. */
export interface BlockSink {
  /** Receives each block before it is deflated, in order. */
  seen(block: Buffer): void;
  /** Appends deflated bytes to the file; resolves once they are written. They do not change before that. */
  append(bytes: Buffer): Promise<void>;
}

/** Compresses bytes to raw deflate, block after block; each block ends at a whole byte. */
export interface Blocks {
  /** Copies the bytes; resolves when there is room for more, and is not called before. @throws what `append` throws. */
  add(jsonl: Buffer): Promise<void>;
  /** Bytes that were added but not appended yet. */
  bytesAhead(): number;
  /** Waits until everything added is appended. */
  flush(): Promise<void>;
  /** Releases resources; nothing is added afterwards. */
  close(): void;
}
