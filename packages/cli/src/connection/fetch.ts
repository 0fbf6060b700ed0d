import { AppError, UpstreamFailed } from '@certloop/contracts';
import { explainCode } from '../faults/system-fault.js';
import { refuseForeignAnswer } from './foreign-answer.js';

// a request by ACME may take two minutes, and the service always responds by then
export const timeoutMs = 150_000;

export type Fetch = (...request: Parameters<typeof fetch>) => Promise<Response>;

/** fetch whose errors contain the service, its address, the reason and the next step. */
export function fetchFrom(service: string, trace?: (line: string) => void, deadline?: AbortSignal): Fetch {
  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    const since = performance.now();
    const say = (ended: string | number) => {
      const method = init?.method ?? 'GET';
      trace?.(`${method} ${origin}${pathname} ${ended}, ${Math.round(performance.now() - since)} ms`);
    };
    try {
      const signals = [deadline, init?.signal].filter((each) => each !== undefined && each !== null);
      const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
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
  if (name === 'TimeoutError') return 'no answer in time; try again, or check the service';
  if (cause !== undefined) return reasonOf(cause);
  return code === undefined ? (message ?? String(error)) : explainCode(code);
}
