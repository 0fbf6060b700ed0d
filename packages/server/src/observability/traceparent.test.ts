import { describe, expect, test } from '@jest/globals';
import { parseTraceparent, renderTraceparent } from './traceparent.js';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

describe('a traceparent header', () => {
  test.each([
    ['sampled', `00-${trace}-${span}-01`, 1],
    ['not sampled', `00-${trace}-${span}-00`, 0],
    ['with flags of tomorrow', `00-${trace}-${span}-03`, 1],
    ['with blanks around', ` 00-${trace}-${span}-01 `, 1],
    ['of a later version', `01-${trace}-${span}-01`, 1],
    ['of a later version with more', `01-${trace}-${span}-01-what-ever`, 1],
  ])('accepts %s', (_name, header, traceFlags) => {
    expect(parseTraceparent(header)).toEqual({ traceId: trace, spanId: span, traceFlags, isRemote: true });
  });

  test.each([
    ['none', undefined],
    ['empty', ''],
    ['of this version with more', `00-${trace}-${span}-01-more`],
    ['with the invalid version ff', `ff-${trace}-${span}-01`],
    ['with a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['with a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
    ['in capitals', `00-${trace.toUpperCase()}-${span}-01`],
    ['too short', `00-${trace.slice(1)}-${span}-01`],
  ])('ignores %s', (_name, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  test('is written as it is read', () => {
    const header = `00-${trace}-${span}-01`;
    const place = parseTraceparent(header);
    expect(place && renderTraceparent(place)).toBe(header);
  });
});
