/** Where the blocks of one file go. */
export interface BlockSink {
  /** Is given each block before it is deflated, in order. */
  seen(block: Buffer): void;
  /** Appends deflated bytes to the file; resolves once they are written, and they are not changed before. */
  append(bytes: Buffer): Promise<void>;
}

/** Makes raw deflate of bytes, block after block; each ends at a whole byte. */
export interface Blocks {
  /** Takes a copy; resolves when there is room for more, and is not called before. @throws what `append` throws. */
  add(jsonl: Buffer): Promise<void>;
  /** Bytes that are added and not appended yet. */
  bytesAhead(): number;
  /** Waits until everything added is appended. */
  flush(): Promise<void>;
  /** Frees what was needed; nothing is added afterwards. */
  close(): void;
}
