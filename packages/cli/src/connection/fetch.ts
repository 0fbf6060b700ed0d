import { AppError, abortAfter, UpstreamFailed } from '@certloop/contracts';
import { explainCode } from '../faults/system-fault.js';
import { refuseForeignAnswer } from './foreign-answer.js';

// a request by ACME may take two minutes, and the service always responds by then
export const timeoutMs = 150_000;

export interface FetchOptions {
  readonly trace?: ((line: string) => void) | undefined;
  /** Ends all calls. */
  readonly deadline?: AbortSignal | undefined;
  /** Milliseconds until the response to a call must begin, of --request-timeout. */
  readonly limitMs?: number | undefined;
  readonly after?: (ms: number) => AbortSignal;
}

/** The same without --request-timeout: check-monitor calls nothing else, and cert-manager responds to reads within 30 s. */
function usualLimitMs(service: string, method: string): number {
  if (service === 'check-monitor') return 10_000;
  return method === 'GET' ? 40_000 : timeoutMs;
}

export type Fetch = (...request: Parameters<typeof fetch>) => Promise<Response>;

/** fetch whose errors contain the service, its address, the reason and the next step. */
export function fetchFrom(service: string, options: FetchOptions = {}): Fetch {
  const { trace, deadline, limitMs, after = abortAfter } = options;
  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? 'GET';
    const since = performance.now();
    const say = (ended: string | number) => {
      trace?.(`${method} ${origin}${pathname} ${ended}, ${Math.round(performance.now() - since)} ms`);
    };
    const begin = new AbortController();
    const limit = after(limitMs ?? usualLimitMs(service, method));
    const end = () => begin.abort(limit.reason);
    limit.addEventListener('abort', end);
    try {
      const signals = [begin.signal, deadline, init?.signal].filter(
        (each) => each !== undefined && each !== null,
      );
      const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
      // a long body may follow
      limit.removeEventListener('abort', end);
      say(response.status);
      await refuseForeignAnswer(response, service);
      return response;
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      const reason = reasonOf(cause);
      say(reason);
      throw new UpstreamFailed(`${service} at ${origin} does not answer: ${reason}`, { cause });
    }
  };
}

/** The innermost cause of a network error in words, with the next step. */
function reasonOf(error: unknown): string {
  const { cause, code, message, name } = (error ?? {}) as NodeJS.ErrnoException;
  if (name === 'TimeoutError')
    return 'no answer in time; try again, check the service, or wait longer with --request-timeout';
  if (cause !== undefined) return reasonOf(cause);
  return code === undefined ? (message ?? String(error)) : explainCode(code);
}
