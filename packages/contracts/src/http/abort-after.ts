/**
 * Signal that aborts with a TimeoutError after `ms` milliseconds, and that other signals may follow: one of
 * AbortSignal.timeout can be lost to garbage collection while only an AbortSignal.any of it is in use (Node.js 20), so
 * that the call would wait forever. Half of `ms` always remains after the process stood still: it has not read what
 * arrived meanwhile.
 */
export function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  waitWithoutHolding(ms / 2, () => waitWithoutHolding(ms / 2, () => controller.abort(reason())));
  return controller.signal;
}

function waitWithoutHolding(ms: number, then: () => void): void {
  const timer: unknown = setTimeout(then, ms);
  // a number in browsers; in Node.js it must not delay the end of the process
  if (typeof timer === 'object') (timer as { unref(): void }).unref();
}
