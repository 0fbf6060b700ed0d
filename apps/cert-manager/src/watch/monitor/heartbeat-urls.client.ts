import { AppError, abortAfter } from '@certloop/contracts';
import { createPlainFetch, followingFetch, type Logger } from '@certloop/server';

export interface HeartbeatUrlsOptions {
  /** Set by the operator, and so called wherever they lead. */
  readonly urls: readonly string[];
  readonly logger: Logger;
  /** Milliseconds until a call counts as unanswered; 5 s when absent. */
  readonly timeoutMs?: number;
}

/** Ping addresses of services elsewhere. */
export interface HeartbeatUrls {
  /** Calls each address once; never rejects. An address that fails is logged when that begins and when it ends. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export function createHeartbeatUrls({ urls, logger, timeoutMs = 5000 }: HeartbeatUrlsOptions): HeartbeatUrls {
  const plain = createPlainFetch({ answerBytes: 65_536, isBodyNeeded: false });
  const fetch = followingFetch(plain.fetch, { subject: 'it', mayLeaveOrigin: false });
  const failing = new Set<number>();
  const call = async (url: string): Promise<string | undefined> => {
    try {
      const { status } = await fetch(url, { signal: abortAfter(timeoutMs) });
      return status >= 200 && status < 300 ? undefined : `it answered ${status}`;
    } catch (error) {
      if (error instanceof AppError) return error.message;
      const isTimeout = error instanceof Error && error.name === 'TimeoutError';
      return isTimeout ? 'it does not answer' : 'it cannot be reached';
    }
  };
  const pingOne = async (url: string, index: number) => {
    const reason = await call(url);
    // the address is a secret: anyone who knows it may ping
    const facts = { number: index + 1 };
    if (reason === undefined) {
      if (failing.delete(index)) logger.info(facts, 'heartbeat.url_recovered');
      return;
    }
    if (!failing.has(index)) logger.warn({ ...facts, reason }, 'heartbeat.url_failed');
    failing.add(index);
  };
  return {
    ping: async () => void (await Promise.all(urls.map(pingOne))),
    close: () => plain.close(),
  };
}
