import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type TextMapSetter,
  trace,
} from '@opentelemetry/api';

// What the API of OpenTelemetry does without a provider costs little, but pays for nothing: it is omitted.
const state = { isOn: false };

/** Says that spans go somewhere from now on, or no longer. */
export function switchTracing(isOn: boolean): void {
  state.isOn = isOn;
}

const tracer = () => trace.getTracer('certloop');

/**
 * Does the work within a span of the running trace, or of a new one; a rejection marks the span as failed. Just
 * does the work while no one takes spans.
 */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!state.isOn) return work(undefined);
  return tracer().startActiveSpan(name, { attributes }, (span) => run(span, work));
}

async function run<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    // its class and not its text, which may name what a trace should not keep
    span.setStatus({ code: SpanStatusCode.ERROR });
    if (error instanceof Error) span.setAttribute('error.type', error.name);
    throw error;
  } finally {
    span.end();
  }
}

export interface TracedFetchOptions {
  /** Whether the trace goes on at the target: only services that the operator configured may see its id. */
  readonly isTrusted: boolean;
}

/** The same fetch with a client span for each call; a span names the host and never the path, which may hold keys. */
export function tracedFetch(call: typeof fetch, { isTrusted }: TracedFetchOptions): typeof fetch {
  return async (input, init) => {
    if (!state.isOn) return call(input, init);
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    const url = new URL(input instanceof Request ? input.url : input);
    const attributes = {
      'http.request.method': method,
      'server.address': url.hostname,
      'url.scheme': url.protocol.replace(':', ''),
    };
    return tracer().startActiveSpan(method, { kind: SpanKind.CLIENT, attributes }, (span) =>
      run(span, async () => {
        const answer = await call(input, isTrusted ? withTraceparent(input, init, span) : init);
        span.setAttribute('http.response.status_code', answer.status);
        if (answer.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
        return answer;
      }),
    );
  };
}

function withTraceparent(
  input: string | URL | Request,
  init: RequestInit | undefined,
  span: Span,
): RequestInit {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), headers, headerSetter);
  return { ...init, headers };
}

const headerSetter: TextMapSetter<Headers> = { set: (headers, name, value) => headers.set(name, value) };

/** A request within a trace. */
export interface RequestSpan {
  /** Runs what answers the request, so that what it does belongs to the span. */
  run(work: () => void): void;
  /** `route` is the template of the path. */
  end(answer: { readonly route: string; readonly status: number; readonly isComplete: boolean }): void;
  readonly ids: TraceIds;
}

/** Server span of a request, in the trace that its `traceparent` names; undefined while no one takes spans. */
export function beginRequestSpan(
  method: string,
  header: string | string[] | undefined,
): RequestSpan | undefined {
  if (!state.isOn) return undefined;
  const parent = propagation.extract(ROOT_CONTEXT, header, traceparentGetter);
  const attributes = { 'http.request.method': method };
  const span = tracer().startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
  return {
    run: (work) => context.with(trace.setSpan(parent, span), work),
    end: ({ route, status, isComplete }) => {
      span.updateName(`${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'http.response.status_code': status });
      if (status >= 500 || !isComplete) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    ids: idsOf(span),
  };
}

/** Reads a `traceparent`, and ignores `tracestate`, which would be sent on. */
const traceparentGetter: TextMapGetter<string | string[] | undefined> = {
  get: (header, name) => (name === 'traceparent' && typeof header === 'string' ? header : undefined),
  keys: () => ['traceparent'],
};

/** Names of a trace and of a span in it, as log lines have them; empty without a trace. */
export interface TraceIds {
  readonly trace_id?: string;
  readonly span_id?: string;
}

const noIds: TraceIds = {};

/** Where in a trace the running work stands. */
export function currentTraceIds(): TraceIds {
  const span = state.isOn ? trace.getActiveSpan() : undefined;
  return span === undefined ? noIds : idsOf(span);
}

function idsOf(span: Span): TraceIds {
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
}
