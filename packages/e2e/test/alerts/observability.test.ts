import { readFile } from 'node:fs/promises';
import { hangMs } from '@certloop/contracts/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addFqdn, awaitHeartbeat, makeCsr, makeSpace, signCsr, uploadCsr } from '../../src/main-job.js';
import { describeStack } from '../support/running-stack.js';
import { createSpanCollector, type SentSpan } from '../support/span-collector.js';

const folder = new URL('../../../../../docker/observability/', import.meta.url);
const token = 'a-token-of-sixteen-letters';
const collector = createSpanCollector();
afterAll(collector.close);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Expressions of the alerts, one line each in the file. */
async function alertExpressions(): Promise<string[]> {
  const text = await readFile(new URL('rules.yaml', folder), 'utf8');
  const expressions = [...text.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression);
  expect(expressions).toHaveLength(text.split('- alert: ').length - 1);
  return expressions;
}

async function panels(): Promise<Panel[]> {
  const text = await readFile(new URL('dashboard.json', folder), 'utf8');
  return (JSON.parse(text) as { readonly panels: Panel[] }).panels;
}

/** Metrics that an expression of PromQL names: what is neither a label, a function, nor a word of the language. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|on|without|ignoring)\s*\([^)]*\)/g, '');
  const words = bare.match(/\b[a-z_][a-z0-9_]*\b(?!\s*\()/g) ?? [];
  return words.filter((word) => !['and', 'or', 'unless', 'by', 'offset'].includes(word));
}

test.each([
  ['up{job="x"} == 0', ['up']],
  ['sum by (le, call) (rate(some_seconds_bucket{call=~"a|b"}[5m])) > 3 * 60', ['some_seconds_bucket']],
  ['time() - max(one_total) > 5 and min(two) == 0', ['one_total', 'two']],
  ['absent(one) and on() max(two) == 1 or three unless three offset 1h', ['one', 'two', 'three', 'three']],
  ['label_replace(one, "a", "$1", "b", "(.*)")', ['one']],
])('%s names its metrics', (expression, named) => {
  expect(metricsIn(expression)).toEqual(named);
});

describeStack(
  'metrics and dashboards',
  (running) => {
    const scraped = new Map<string, string>();

    beforeAll(async () => {
      const { clients, stack } = running();
      const space = await makeSpace(clients, 'Watched');
      const fqdn = await addFqdn(clients, space.id, 'watched.example.test');
      const place = { spaceId: space.id, fqdnId: fqdn.id };
      await uploadCsr(clients, place, fqdn.fqdn, await makeCsr(fqdn.fqdn));
      collector.spans.length = 0;
      await signCsr(clients, place);
      // the first pings are stored
      await awaitHeartbeat(clients, hangMs);
      const { certManager, checkMonitor, dummyCa } = stack.credentials;
      for (const { url } of [certManager, checkMonitor, dummyCa]) {
        const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
        expect(answer.status).toBe(200);
        scraped.set(url, await answer.text());
      }
    });

    /** Every name that a scrape may have a sample of. */
    const known = (): Set<string> => {
      const types = [...scraped.values()].flatMap((text) => [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]);
      return new Set(
        types.flatMap(([, name = '', type]) =>
          type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
        ),
      );
    };

    test('every metric in the alerts and the dashboard exists in a service', async () => {
      const queries = (await panels()).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
      const named = [...(await alertExpressions()), ...queries].flatMap(metricsIn);
      expect(named.length).toBeGreaterThan(40);
      // Prometheus says itself whether a scrape came to an end
      const names = new Set(named.filter((name) => name !== 'up'));
      expect([...names].filter((name) => !known().has(name))).toEqual([]);
    });

    test('every metric of this service is documented', async () => {
      const page = await readFile(new URL('../../../../../docs/observability.md', import.meta.url), 'utf8');
      const own = [...scraped.values()]
        .flatMap((text) => [...text.matchAll(/^# TYPE (\S+) /gm)])
        .map(([, name = '']) => name)
        .filter((name) => !/^(?:process|nodejs)_/.test(name));
      expect([...new Set(own)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    });

    test('the metrics show what the stack does', () => {
      const all = [...scraped.values()].join('\n');
      expect(all).toMatch(
        /^cert_manager_certificates_requested_total\{provider="dummy-ca",purpose="issuance",outcome="issued"\} 1$/m,
      );
      expect(all).toMatch(
        /^cert_manager_certificates\{space_id="[^"]+",space="Watched",expiry="[^"]+"\} 1$/m,
      );
      // the second one is for https of the manager itself
      expect(all).toMatch(
        /^http_request_duration_seconds_count\{method="POST",route="\/csr",status="200"\} 2$/m,
      );
      expect(all).toMatch(/^check_monitor_pings_total\{kind="start",answer="stored"\} [1-9]/m);
    });

    test('panels of the dashboard have unique ids', async () => {
      const all = await panels();
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
    });

    describe('a trace', () => {
      test('spans the manager, its provider and the CA, and a run of the queue and the monitor', async () => {
        const signing = await collector.awaitSpan(
          ({ service, name }) => service === 'dummy-ca' && name === 'POST /csr',
        );
        const parentOf = (child: SentSpan) =>
          collector.awaitSpan(
            ({ spanId, traceId }) => spanId === child.parentSpanId && traceId === child.traceId,
          );
        const call = await parentOf(signing);
        const asked = await parentOf(call);
        const request = await parentOf(asked);
        expect([call, asked, request].map(({ service, name }) => [service, name])).toEqual([
          ['cert-manager', 'POST'],
          ['cert-manager', 'provider sign'],
          ['cert-manager', 'POST /spaces/{spaceId}/fqdns/{fqdnId}/csr/sign'],
        ]);
        expect(request.parentSpanId).toBeUndefined();

        // a ping that was sent before the spans were cleared may have lost its parent
        await collector.awaitSpan(
          ({ service, name, parentSpanId }) =>
            service === 'check-monitor' &&
            / \/ping\//.test(name) &&
            collector.spans.some((span) => span.spanId === parentSpanId && span.service === 'cert-manager'),
        );
        await collector.awaitSpan(
          ({ service, name }) => service === 'cert-manager' && name === 'job renewals',
        );
      });

      test('contains no name, key or address', () => {
        const text = JSON.stringify(collector.spans);
        expect(text).toContain('POST /csr');
        expect(text).not.toContain('watched.example.test');
        expect(text).not.toContain(running().stack.credentials.checkMonitor.readWriteKey);
      });
    });
  },
  async () => ({ METRICS_TOKEN: token, ...(await collector.environment()) }),
);
