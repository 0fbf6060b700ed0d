/**
 * Signal that aborts with a TimeoutError after `ms` milliseconds, and that other signals may follow: one of
 * AbortSignal.timeout can be lost to garbage collection while only an AbortSignal.any of it is in use (Node.js 20), so
 * that the call would wait forever.
 */
export function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  const timer: unknown = setTimeout(() => controller.abort(reason()), ms);
  // a number in browsers; in Node.js it must not delay the end of the process
  if (typeof timer === 'object') (timer as { unref(): void }).unref();
  return controller.signal;
}
