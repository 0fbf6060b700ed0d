import { AppError, abortAfter, NotFound, UpstreamFailed } from '@certloop/contracts';
import { explainCode } from '../faults/system-fault.js';

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
function usualLimitMs(service: string, method: string, waitSeconds: number): number {
  if (service === 'check-monitor') return 10_000;
  return method === 'GET' ? 40_000 + waitSeconds * 1_000 : timeoutMs;
}

export type Fetch = (...request: Parameters<typeof fetch>) => Promise<Response>;

/** fetch whose errors contain the service, its address, the reason and the next step. */
export function fetchFrom(service: string, options: FetchOptions = {}): Fetch {
  const { trace, deadline, limitMs, after = abortAfter } = options;
  return async (input, init) => {
    const { origin, pathname, searchParams } = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? 'GET';
    const since = performance.now();
    const say = (ended: string | number) => {
      trace?.(`${method} ${origin}${pathname} ${ended}, ${Math.round(performance.now() - since)} ms`);
    };
    const begin = new AbortController();
    const limit = after(limitMs ?? usualLimitMs(service, method, Number(searchParams.get('wait') ?? 0)));
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

/** Throws for an answer of another server than the service, such as the page of a proxy. */
async function refuseForeignAnswer(response: Response, service: string): Promise<void> {
  const { status, url } = response;
  if (response.ok || !URL.canParse(url)) return;
  const { origin, pathname } = new URL(url);
  const isPage = response.headers.get('content-type')?.includes('html') === true;
  if (isPage && status > 501)
    throw new UpstreamFailed(
      `${service} at ${origin} does not answer: a server before it answers ${status}; try again, or check the service`,
    );
  if (isPage || (status === 404 && (await hasNoPath(response))))
    throw new NotFound(
      `the server at ${origin} answers ${pathname} with ${status}; check that this is the address of ${service}`,
    );
}

/** Whether the services of CertLoop answer like this for paths that none of their endpoints has. */
async function hasNoPath(response: Response): Promise<boolean> {
  return (await response.clone().text()).includes('nothing exists at this path');
}
