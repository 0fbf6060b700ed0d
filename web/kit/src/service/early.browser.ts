declare global {
  interface Window {
    /** Responses that early.js has asked for, by their addresses. */
    certloopEarly?: Map<string, Promise<Response>>;
  }
}

/** Age after which an early response is out of date. */
const maxAgeMs = 30_000;

/**
 * GET by the response that was asked for before the scripts of the page were there, once; otherwise, and if that
 * failed, by a request of its own.
 */
export async function fetchOrTakeEarly(url: RequestInfo | URL, init: RequestInit): Promise<Response> {
  const early = takeEarly(String(url));
  if (early === undefined) return fetch(url, init);
  try {
    return await Promise.race([early, abortOf(init.signal)]);
  } catch {
    // an aborted request fails here at once
    return fetch(url, init);
  }
}

function takeEarly(url: string): Promise<Response> | undefined {
  const early = window.certloopEarly?.get(url);
  window.certloopEarly?.delete(url);
  return performance.now() > maxAgeMs ? undefined : early;
}

/** Rejects when the signal ends. */
function abortOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
