import type { Page, ReadRequest, Row } from "../contract/connector.ts";
import { paginate } from "../paging/paginate.ts";
import type { PagePosition } from "../paging/position.ts";
import type { HttpConfig } from "./config.ts";
import { listOf } from "./pages.ts";

/** Reads the rows of the API's list; see `Pull.read`. */
export function readHttp(
  request: ReadRequest<HttpConfig, PagePosition>,
): AsyncIterable<Page<Row, PagePosition>> {
  return paginate(request, listOf(request.config));
}
