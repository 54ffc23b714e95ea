import { request } from "undici";

import { createDispatcher, type ProxySettings } from "../api/http/http.ts";
import { codeOf } from "../api/http/no-answer.ts";
import { retryAfterMs } from "../api/http/retry-after.ts";
import type { NotifyConfig } from "../config/schema/notify.ts";
import { ApiUnavailableError, ConfigError, SluiceError } from "../errors.ts";
import { connectTimeoutMs } from "../limits.ts";
import { notifyAnswerBytesMax, notifyDeadlineMs, notifyRetryAfterMsMax } from "./limits.ts";
import type { Message } from "./message.ts";

/** Posts notifications. */
export type Notifier = {
  /**
   * Posts a message once, without redirects; any 2xx counts as delivered.
   * @throws {ApiUnavailableError} it was not delivered, or nobody knows; the same message may be posted again.
   * @throws {ConfigError} the receiver says that it is gone (410). @throws the signal's reason
   */
  post(receiver: NotifyConfig, message: Message, signal: AbortSignal): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
};

/** Makes the notifier of a worker. */
export function createNotifier(settings: {
  readonly allowInsecureHosts: readonly string[];
  readonly proxy: ProxySettings | undefined;
  /** From connecting to the status of the answer. @default notifyDeadlineMs */
  readonly deadlineMs?: number;
}): Notifier {
  const { deadlineMs = notifyDeadlineMs } = settings;
  const dispatcher = createDispatcher(
    { ...settings, connectMs: connectTimeoutMs },
    notifyAnswerBytesMax,
  );
  return {
    post: async ({ url, target }, { headers, body }, cancelled) => {
      const what = `POST to ${target}`;
      const deadline = AbortSignal.timeout(deadlineMs);
      const signal = AbortSignal.any([cancelled, deadline]);
      let answer: Awaited<ReturnType<typeof request>>;
      try {
        answer = await request(url.reveal(), {
          dispatcher,
          method: "POST",
          headers,
          body,
          signal,
        });
      } catch (error) {
        cancelled.throwIfAborted();
        if (error instanceof SluiceError) throw error;
        const code = deadline.aborted ? `within ${deadlineMs / 1_000} s` : codeOf(error);
        // Without its cause, which may contain the address.
        throw new ApiUnavailableError(`${what}: no answer (${code})`);
      }
      const { statusCode: status } = answer;
      // Only the status counts; the rest is read only as far as needed to reuse the connection.
      await answer.body.dump({ limit: notifyAnswerBytesMax, signal }).catch(() => undefined);
      if (status >= 200 && status < 300) return;
      if (status === 410) {
        const hint = "take the receiver out of `notify:`, or give its new address";
        throw new ConfigError(`${what}: 410, it is gone`, { field: "notify", hint });
      }
      const hintMs = retryAfterMs(answer.headers, Date.now());
      // A longer wait would leave no time for the tries that are left.
      const waitMs = hintMs === undefined ? undefined : Math.min(hintMs, notifyRetryAfterMsMax);
      throw new ApiUnavailableError(`${what}: ${status}`, { retryAfterMs: waitMs });
    },
    close: async () => await dispatcher.close(),
  };
}
