const minMs = 1000;
const maxMs = 3_600_000;

/**
 * Milliseconds that a target asks to be left alone: Retry-After of RFC 9110 §10.2.3, as seconds or as a date, from 1 s
 * to 1 h. Undefined when the header is absent or neither.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  const wanted = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(wanted) ? undefined : boundedWaitMs(wanted);
}

/** The wait within the bounds that every target gets, in whole milliseconds. */
export function boundedWaitMs(wantedMs: number): number {
  return Math.ceil(Math.min(Math.max(wantedMs, minMs), maxMs));
}
