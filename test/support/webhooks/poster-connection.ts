import { connect, type Socket } from "node:net";

/** The bytes of a whole request, ready to post. */
export type Posting = { readonly request: Buffer };

/** What a connection reports to its user. */
export type ConnectionEvents<Of extends Posting> = {
  /** It is connected, or free again. */
  readonly idle: () => void;
  readonly answered: (posting: Of, status: number) => void;
  /** It ended, and is made again; `unanswered` is the posting that was waiting for an answer. */
  readonly ended: (unanswered: Of | undefined) => void;
};

const readBytes = 16 * 1_024;
const reconnectMs = 10;
const headOfAnswer = /^HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n/;
const contentLength = /\r\ncontent-length: (\d+)\r\n/i;

/**
 * A keep-alive connection with at most one request on its way; it is made again whenever it ends, until it is closed.
 */
export class PosterConnection<Of extends Posting> {
  readonly #port: number;
  readonly #events: ConnectionEvents<Of>;
  #socket: Socket | undefined;
  #posting: Of | undefined;
  #answer = "";
  #isClosed = false;

  constructor(port: number, events: ConnectionEvents<Of>) {
    this.#port = port;
    this.#events = events;
    this.#connect();
  }

  /** Sends a request; to be called when the connection is idle. */
  send(posting: Of): void {
    this.#posting = posting;
    this.#socket?.write(posting.request);
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.destroy();
  }

  #connect(): void {
    if (this.#isClosed) return;
    const buffer = Buffer.allocUnsafe(readBytes);
    const read = (bytes: number): true => this.#read(buffer.toString("latin1", 0, bytes));
    const socket = connect({
      port: this.#port,
      host: "127.0.0.1",
      noDelay: true,
      // One buffer for all reads: the load should take as little as possible of the cores that it shares with the
      // receiver.
      onread: { buffer, callback: read },
    });
    this.#socket = socket;
    this.#answer = "";
    socket.once("connect", () => this.#events.idle());
    // Whatever went wrong, the connection's end reports it.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      setTimeout(() => this.#connect(), reconnectMs);
      const unanswered = this.#posting;
      this.#posting = undefined;
      this.#events.ended(unanswered);
    });
  }

  #read(text: string): true {
    this.#answer += text;
    const [head, status] = headOfAnswer.exec(this.#answer) ?? [];
    if (head === undefined) return true;
    const length = head.length + Number(contentLength.exec(head)?.[1] ?? 0);
    const posting = this.#posting;
    if (this.#answer.length < length || posting === undefined) return true;
    this.#answer = this.#answer.slice(length);
    this.#posting = undefined;
    this.#events.answered(posting, Number(status));
    // A connection that its server closes is idle when it has been made again.
    if (!/\r\nconnection: close\r\n/i.test(head)) this.#events.idle();
    return true;
  }
}
