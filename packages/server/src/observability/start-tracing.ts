import { z } from 'zod';
import { baseAddress, flag, setting } from '../process/config.js';
import { switchTracing } from './tracing.js';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The standard's own variables by which traces are asked for. */
export const tracingSettings = {
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    baseAddress.optional(),
    'address of an OpenTelemetry collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318; no traces when absent',
  ),
  otlpHeaders: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    z.string().optional(),
    'headers for the collector as name=value, separated by commas, values percent-encoded',
  ),
  otelDisabled: setting('OTEL_SDK_DISABLED', flag.default(false), 'true: no traces whatever else is set'),
  otelServiceName: setting(
    'OTEL_SERVICE_NAME',
    z.string().optional(),
    'name of the service in traces; the name of the service when absent',
  ),
  otelResourceAttributes: setting(
    'OTEL_RESOURCE_ATTRIBUTES',
    z.string().optional(),
    'further attributes of the service in traces as name=value, separated by commas',
  ),
  otelSampler: setting(
    'OTEL_TRACES_SAMPLER',
    z.enum(samplers, `must be one of ${samplers.join(', ')}`).optional(),
    'sampler of traces; parentbased_always_on when absent',
  ),
  otelSamplerArg: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    z
      .string()
      .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, 'must be a number from 0 to 1')
      .optional(),
    'share of the traces that a traceidratio sampler records, from 0 to 1',
  ),
};

export interface TracingConfig {
  readonly otlpEndpoint: string | undefined;
  readonly otlpHeaders: string | undefined;
  readonly otelDisabled: boolean;
  readonly otelServiceName: string | undefined;
}

/** Sends away what waits, within 3 s at most, and takes no more spans. */
export type StopTracing = () => Promise<void>;

/**
 * Sends spans to the collector of the configuration from now on; without one, nothing of OpenTelemetry's SDK is
 * even loaded. A collector that cannot be reached disturbs nothing: spans are dropped.
 */
export async function startTracing(service: string, config: TracingConfig): Promise<StopTracing> {
  const { otlpEndpoint: endpoint, otlpHeaders, otelDisabled, otelServiceName } = config;
  if (endpoint === undefined || otelDisabled) return async () => undefined;
  const { openTraceExport } = await import('./trace-export.js');
  const stop = openTraceExport({
    service: otelServiceName ?? service,
    url: `${endpoint}/v1/traces`,
    headers: headersOf(otlpHeaders ?? ''),
  });
  switchTracing(true);
  return async () => {
    switchTracing(false);
    await stop();
  };
}

/** OTLP's list of headers: `name=value,name=value`, the values percent-encoded. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

/** Returns the decoded text. What is not percent-encoding stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
