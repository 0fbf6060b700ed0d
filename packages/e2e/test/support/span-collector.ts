import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';

export interface SentSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<SentSpan, 'service'>[] }[];
  }[];
}

/** What keeps the spans of every service that knows it. */
export interface SpanCollector {
  readonly spans: SentSpan[];
  /** The first span that is as wanted, as soon as it has come. */
  awaitSpan(isWanted: (span: SentSpan) => boolean): Promise<SentSpan>;
  /** Starts it where it does not run; what lets services know it. */
  environment(): Promise<Readonly<Record<string, string>>>;
  close(): void;
}

export function createSpanCollector(): SpanCollector {
  const spans: SentSpan[] = [];
  let onSpans = (): void => undefined;
  const server = createServer(async (request, answer) => {
    const { resourceSpans } = (await readJson(request)) as Batch;
    for (const { resource, scopeSpans } of resourceSpans) {
      const name = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service: name }))));
    }
    answer.setHeader('Content-Type', 'application/json').end('{}');
    onSpans();
  });
  return {
    spans,
    awaitSpan: async (isWanted) => {
      for (;;) {
        const found = spans.find(isWanted);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          onSpans = resolve;
        });
      }
    },
    environment: async () => {
      if (!server.listening) {
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
      }
      const { port } = server.address() as AddressInfo;
      return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: '200' };
    },
    close: () => void server.close(),
  };
}
