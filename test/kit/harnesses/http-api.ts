import { once } from "node:events";
import { createServer } from "node:http";

import type { TestCase } from "../../../testing/case.ts";
import { portOf } from "../../src/api/support.ts";

/** A request. */
type Asked = {
  /** Path and query as received. */
  readonly target: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
};

/** A body, or another kind of response. */
export type Answer =
  | string
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    };

/** How an API answers, and the configuration of its connection. */
export type Api = {
  readonly answer: (asked: Asked) => Answer | undefined;
  readonly config?: Readonly<Record<string, unknown>>;
};

/** The expected result of a case. */
export type Told = Omit<TestCase, "make">;

/** A server on a free port of 127.0.0.1 that answers as configured. Other requests get 418. */
export class CaseApi {
  answer: (asked: Asked) => Answer | undefined = () => undefined;
  readonly #server = createServer((request, response) => {
    const target = request.url ?? "";
    const query = new URL(target, this.origin).searchParams;
    const { authorization } = request.headers;
    const answer = this.answer({ target, query, authorization }) ?? { status: 418 };
    const {
      status,
      headers = {},
      body = "{}",
    } = typeof answer === "string" ? { status: 200, body: answer } : answer;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });

  static async listen(): Promise<CaseApi> {
    const api = new CaseApi();
    await once(api.#server.listen(0, "127.0.0.1"), "listening");
    return api;
  }

  get origin(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Members of the harness that no case has by default; the harness has short timeouts. */
const unset = {
  path: undefined,
  rows: undefined,
  page_size: undefined,
  cursor: undefined,
  token: undefined,
  timeout: "20s",
};

/** A case of a server with these answers. */
export function caseOf(server: CaseApi, api: Api, told: Told): TestCase {
  return {
    ...told,
    make: async () => {
      server.answer = api.answer;
      return { ...unset, url: server.origin, ...api.config };
    },
  };
}

/** Answers by path and query, only to the right credentials. */
export function pages(
  answers: Readonly<Record<string, Answer>>,
  authorization?: string,
): Api["answer"] {
  return (asked) =>
    asked.authorization === authorization ? answers[asked.target] : { status: 401 };
}
