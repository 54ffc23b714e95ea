import { ConfigError } from "../../../src/errors.ts";
import type { CsvConfig, Encoding } from "../config.ts";
import { columnsMax, hashedBytes, nameCharsShown, namesShownMax } from "../limits.ts";
import type { OpenFile } from "../open.ts";
import { bytesOf } from "./bytes.ts";
import { decodedTextOf, type DecodedText } from "./decode.ts";
import { fatal, rowFault } from "./faults.ts";
import { Scanner, type Dialect, type ScanStep } from "./scan.ts";
import { candidates, sniffDelimiter, sniffEncoding, sniffSeparatorLine } from "./sniff.ts";
import { Window } from "./window.ts";

/** How a file is to be read. */
export type Layout = {
  readonly encoding: Encoding;
  readonly dialect: Dialect;
  readonly columns: readonly string[];
  /** Offset of the first row, after the byte order mark and the header line. */
  readonly offset: number;
  /** Line of the first row. */
  readonly line: number;
};

/** The request for a layout. */
export type LayoutRequest = {
  readonly signal: AbortSignal;
  /**
   * Whether an error may hold names of the header line: only where a person reads it and Temporal does not
   * keep it, because a file without a header line has its first row there (I4).
   */
  readonly mayName: boolean;
};

/**
 * Finds out how a file is to be read, reading its start and its header line. Undefined when the header line of an
 * append-only file is still being written.
 * @throws {ConfigError} there is no header line, its names cannot be used, or the delimiter is not the file's.
 */
export async function readLayout(
  file: OpenFile,
  config: CsvConfig,
  { signal, mayName }: LayoutRequest,
): Promise<Layout | undefined> {
  const head = await headOf(file, signal);
  const { encoding, markBytes } = sniffEncoding(head, config.encoding);
  const { quote } = config;
  const text = decodeHead(head.subarray(markBytes), encoding);
  const told = sniffSeparatorLine(text);
  const delimiter =
    config.delimiter ?? told?.delimiter ?? sniffDelimiter(text, quote, config.columns?.length);
  const toldBytes = (told?.length ?? 0) * (encoding.startsWith("utf-16") ? 2 : 1);
  const [offset, line] = [markBytes + toldBytes, told === undefined ? 1 : 2];
  const layout = { encoding, dialect: { delimiter, quote }, offset, line };
  if (config.columns !== undefined) return { ...layout, columns: config.columns };

  const header = new HeaderLine(file, layout);
  const step = await header.read(signal);
  if (step === "more") return undefined;
  if (step === "end") {
    throw new ConfigError(`${file.place} has no header line: it is empty`, {
      field: "path",
      hint: "Wait until the file is written, or name the columns: columns: [id, name].",
    });
  }
  if (step !== "row") throw fatal(file.place, header.scanner, step);
  return { ...layout, ...header.parse(config.delimiter !== undefined, mayName) };
}

/** The first 64 KB of a file's text. */
async function headOf(file: OpenFile, signal: AbortSignal): Promise<Buffer> {
  if (!file.isGzip) return file.head;
  const pieces: Buffer[] = [];
  for await (const piece of bytesOf(file, { from: 0, to: hashedBytes, signal })) {
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

function decodeHead(head: Buffer, encoding: Encoding): string {
  if (encoding === "utf-16le") return head.toString("utf16le");
  if (encoding !== "utf-16be") return head.toString("latin1");
  const whole = head.subarray(0, head.length - (head.length % 2));
  return Buffer.from(whole).swap16().toString("utf16le");
}

/** The first line of a file that is not blank. */
class HeaderLine {
  readonly scanner: Scanner;
  readonly #file: OpenFile;
  readonly #window: Window;
  readonly #text: DecodedText;
  readonly #layout: Omit<Layout, "columns">;

  constructor(file: OpenFile, layout: Omit<Layout, "columns">) {
    this.#file = file;
    this.#layout = layout;
    this.scanner = new Scanner(layout.dialect, layout.line);
    this.#window = new Window(layout.encoding, layout.offset);
    const reading = { window: this.#window, scanner: this.scanner, quote: layout.dialect.quote };
    this.#text = decodedTextOf(layout.encoding, reading);
  }

  /** Reads up to the end of the line. Returns "more" only for a file that may grow. */
  async read(signal: AbortSignal): Promise<Exclude<ScanStep, "blank">> {
    for await (const piece of bytesOf(this.#file, { from: this.#layout.offset, signal })) {
      this.#window.append(piece);
      const step = this.#next();
      if (step !== "more") return step;
    }
    if (!this.#file.mayGrow) this.#window.finish();
    return this.#next();
  }

  #next(): Exclude<ScanStep, "blank"> {
    this.#text.load();
    for (;;) {
      const step = this.scanner.next(this.#window);
      if (step !== "blank") return step;
    }
  }

  /** Takes the names from the line. */
  parse(isDelimiterSet: boolean, mayName: boolean): Pick<Layout, "columns" | "offset" | "line"> {
    const { scanner } = this;
    const where = `${this.#file.place}:${scanner.rowLine}`;
    if (scanner.fields > columnsMax) {
      throw headerError(where, `more than ${columnsMax} columns`, "Check the delimiter.");
    }
    const fault = rowFault({
      scanner,
      text: this.#text,
      window: this.#window,
      encoding: this.#layout.encoding,
      columns: scanner.fields,
    });
    if (fault !== undefined) {
      throw headerError(where, fault.reason, "Check encoding, quote and delimiter.");
    }
    const columns = Array.from({ length: scanner.fields }, (_, field) => this.#text.value(field));
    assertNames(where, columns, mayName);
    if (isDelimiterSet) this.#assertDelimiter(where, columns);
    return { columns, offset: this.#window.offsetOf(this.#window.at), line: scanner.line };
  }

  /** One unquoted column with another delimiter in its name means that the file has that delimiter. */
  #assertDelimiter(where: string, columns: readonly string[]): void {
    const { delimiter } = this.#layout.dialect;
    const [only] = columns;
    if (only === undefined || columns.length > 1) return;
    if (this.scanner.starts[0] !== this.scanner.rowStart) return;
    const other = candidates.find((one) => one !== delimiter && only.includes(one));
    if (other === undefined) return;
    throw new ConfigError(
      `${where}: the header line has one column with the delimiter ${name(delimiter)}, and holds ${name(other)}`,
      { field: "delimiter", hint: `Set delimiter: ${name(other)}, or remove it.` },
    );
  }
}

function name(delimiter: string): string {
  return delimiter === "\t" ? "tab" : JSON.stringify(delimiter);
}

/** Only under this condition: if the columns were named, a header line would be sent as a record. */
const isRowHint = "If the first line is a row, name the columns: columns: [id, name].";

function assertNames(where: string, columns: readonly string[], mayName: boolean): void {
  const empty = columns.flatMap((column, index) => (column === "" ? [index + 1] : []));
  if (empty.length > 0) {
    throw headerError(
      where,
      `column ${listed(empty)} has no name`,
      `Name each in the file, or take out the delimiter that makes it. ${isRowHint}`,
    );
  }
  const places = Map.groupBy(columns.entries(), ([, column]) => column);
  const shared = [...places].filter(([, entries]) => entries.length > 1);
  if (shared.length === 0) return;
  const what = shared.map(([column, entries]) => {
    const numbers = listed(entries.map(([index]) => index + 1));
    const which = mayName
      ? `the name ${JSON.stringify(column.slice(0, nameCharsShown))}`
      : "a name";
    return `columns ${numbers} share ${which}`;
  });
  const hint = `Give each column its own. ${isRowHint}`;
  throw headerError(
    where,
    listed(what),
    mayName ? hint : `${hint} \`sluice check\` lists the names.`,
  );
}

function listed(names: readonly (string | number)[]): string {
  const shown = names.slice(0, namesShownMax).join(", ");
  return names.length > namesShownMax ? `${shown} and ${names.length - namesShownMax} more` : shown;
}

function headerError(where: string, what: string, hint: string): ConfigError {
  return new ConfigError(`${where}: the header line cannot be used: ${what}`, {
    field: "path",
    hint,
  });
}
