import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StopTracing, startTracing } from './start-tracing.js';
import { beginRequestSpan, tracedFetch } from './tracing.js';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

/** The `traceparent` that a call is sent with for a request that has this one. */
function sentFor(header: string | string[] | undefined): string[] {
  const sent: string[] = [];
  const call = tracedFetch(
    async (_target, init) => {
      sent.push(...(new Headers(init?.headers).get('traceparent')?.split('-') ?? []));
      return new Response();
    },
    { isTrusted: true },
  );
  beginRequestSpan('GET', header)?.run(() => void call('http://service.test/'));
  return sent;
}

describe('a traceparent header', () => {
  let stop: StopTracing;

  beforeAll(async () => {
    const otlpEndpoint = 'http://127.0.0.1:1';
    const config = { otlpEndpoint, otlpHeaders: undefined, otelDisabled: false, otelServiceName: undefined };
    stop = await startTracing('test', config);
  });

  afterAll(() => stop());

  test.each([
    ['sampled', `00-${trace}-${span}-01`, '01'],
    ['not sampled', `00-${trace}-${span}-00`, '00'],
    ['with flags of tomorrow', `00-${trace}-${span}-03`, '01'],
    ['with other flags of tomorrow', `00-${trace}-${span}-fe`, '00'],
    ['with blanks around', ` 00-${trace}-${span}-01 `, '01'],
    ['of a later version', `01-${trace}-${span}-01`, '01'],
    ['of a later version with more', `01-${trace}-${span}-01-what-ever`, '01'],
  ])('continues a trace %s', (_name, header, flags) => {
    expect(sentFor(header)).toEqual(['00', trace, expect.stringMatching(/^[0-9a-f]{16}$/), flags]);
    expect(sentFor(header)).not.toContain(span);
  });

  test.each([
    ['none', undefined],
    ['empty', ''],
    ['sent twice', [`00-${trace}-${span}-01`, `00-${trace}-${span}-01`]],
    ['of this version with more', `00-${trace}-${span}-01-more`],
    ['with the invalid version ff', `ff-${trace}-${span}-01`],
    ['with a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['with a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
    ['in capitals', `00-${trace.toUpperCase()}-${span}-01`],
    ['too short', `00-${trace.slice(1)}-${span}-01`],
  ])('starts a trace if it is %s', (_name, header) => {
    const [version, started, , flags] = sentFor(header);
    expect([version, flags]).toEqual(['00', '01']);
    expect(started).toMatch(/^[0-9a-f]{32}$/);
    expect([trace, '0'.repeat(32)]).not.toContain(started);
  });
});
