import { context, propagation, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';

export interface TraceExportOptions {
  readonly service: string;
  /** Where batches are posted to, as JSON. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const maxFlushMs = 3_000;
// all tries of a batch together, so that the last one is over when the process wants to end
const maxExportMs = 2_500;

/** Opens the way of spans to a collector; the function that it returns sends what waits, and closes it. */
export function openTraceExport({ service, url, headers }: TraceExportOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: maxExportMs });
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: service })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  // used only by code that calls it: what goes on elsewhere is decided call by call
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return async () => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, maxFlushMs).unref());
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
    trace.disable();
    context.disable();
    propagation.disable();
  };
}
