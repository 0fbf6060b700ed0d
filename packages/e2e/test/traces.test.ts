import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import { addFqdn, makeCsr, makeSpace, signCsr, uploadCsr } from '../src/main-job.js';
import { describeStack } from './running-stack.js';

interface SentSpan {
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

const spans: SentSpan[] = [];
let onSpans = (): void => undefined;

/** A collector that keeps the spans of every service that knows it. */
const collector = createServer(async (request, answer) => {
  const { resourceSpans } = (await readJson(request)) as Batch;
  for (const { resource, scopeSpans } of resourceSpans) {
    const name = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service: name }))));
  }
  answer.setHeader('Content-Type', 'application/json').end('{}');
  onSpans();
});

afterAll(() => {
  collector.close();
});

/** The first span that is as wanted, as soon as it has come. */
async function awaitSpan(isWanted: (span: SentSpan) => boolean): Promise<SentSpan> {
  for (;;) {
    const found = spans.find(isWanted);
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => {
      onSpans = resolve;
    });
  }
}

describeStack(
  'a trace',
  (running) => {
    test('goes from the manager through its provider to the CA, and from a run of the queue to the monitor', async () => {
      const { clients } = running();
      const space = await makeSpace(clients, 'Traced');
      const fqdn = await addFqdn(clients, space.id, 'traced.example.test');
      const place = { spaceId: space.id, fqdnId: fqdn.id };
      await uploadCsr(clients, place, fqdn.fqdn, await makeCsr(fqdn.fqdn));
      spans.length = 0;
      await signCsr(clients, place);

      const signing = await awaitSpan(({ service, name }) => service === 'dummy-ca' && name === 'POST /csr');
      const parentOf = (child: SentSpan) =>
        awaitSpan(({ spanId, traceId }) => spanId === child.parentSpanId && traceId === child.traceId);
      const call = await parentOf(signing);
      const asked = await parentOf(call);
      const request = await parentOf(asked);
      expect([call, asked, request].map(({ service, name }) => [service, name])).toEqual([
        ['cert-manager', 'POST'],
        ['cert-manager', 'provider sign'],
        ['cert-manager', 'POST /spaces/{spaceId}/fqdns/{fqdnId}/csr/sign'],
      ]);
      expect(request.parentSpanId).toBeUndefined();

      const ping = await awaitSpan(
        ({ service, name }) => service === 'check-monitor' && / \/ping\//.test(name),
      );
      expect((await parentOf(ping)).service).toBe('cert-manager');
      await awaitSpan(({ service, name }) => service === 'cert-manager' && name === 'job renewals');
    });

    test('has no name, key or address of anything in it', () => {
      const text = JSON.stringify(spans);
      expect(text).toContain('POST /csr');
      expect(text).not.toContain('traced.example.test');
      expect(text).not.toContain(running().stack.credentials.checkMonitor.readWriteKey);
    });
  },
  async () => {
    if (!collector.listening) {
      collector.listen(0, '127.0.0.1');
      await once(collector, 'listening');
    }
    const { port } = collector.address() as AddressInfo;
    return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: '200' };
  },
);
