import { isValidSpanId, isValidTraceId, type SpanContext } from '@opentelemetry/api';

const version = '00';

/**
 * Place in a trace that a `traceparent` header names (W3C Trace Context §3.2); undefined for anything else than
 * such a header. Later versions may have more after the flags, which is passed over.
 */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  const fields = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(
    header?.trim() ?? '',
  );
  const [, sentVersion, traceId = '', spanId = '', flags = '', rest] = fields ?? [];
  if (sentVersion === undefined || sentVersion === 'ff') return undefined;
  if (sentVersion === version && rest !== undefined) return undefined;
  if (!isValidTraceId(traceId) || !isValidSpanId(spanId)) return undefined;
  // the sampled bit is the only one that means something
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** The header that continues a trace elsewhere. */
export function renderTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `${version}-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`;
}
