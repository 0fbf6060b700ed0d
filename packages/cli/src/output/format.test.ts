import { describe, expect, test } from 'vitest';
import { parseFormat } from './format.js';
import { formatCsv } from './report.js';
import { formatTable } from './table.js';

test.each([
  ['json', { kind: 'json' }],
  ['wide', { kind: 'wide' }],
  ['jsonpath=$[*].name', { kind: 'jsonpath', expression: '$[*].name' }],
  ['jsonpath={[*].name}', { kind: 'jsonpath', expression: '$[*].name' }],
  ['jsonpath={.name}', { kind: 'jsonpath', expression: '$.name' }],
])('%s is a format', (text, format) => {
  expect(parseFormat(text)).toEqual(format);
});

test.each([
  ['xml', 'It is one of table, wide, json, yaml, name, csv, jsonpath=<path>.'],
  ['jsonpath=$[', '$[ is not a JSONPath such as $[*].name: '],
])('%s is refused', (text, sentence) => {
  expect(() => parseFormat(text)).toThrow(sentence);
});

test('csv quotes what RFC 4180 quotes, and has all headings', () => {
  const rows = [
    { name: 'a "b", c', n: 1 },
    { name: 'x\ny', more: [1] },
  ];
  expect(formatCsv(rows)).toBe('name,n,more\r\n"a ""b"", c",1,\r\n"x\ny",,[1]\r\n');
  expect(formatCsv([])).toBe('');
});

describe('a table on a narrow terminal', () => {
  const rows = [{ name: 'www.example.test', message: 'x'.repeat(90), short: 'yes', id: 'i'.repeat(36) }];
  test('cuts the widest column before the name, and never the id', () => {
    const [, line = ''] = formatTable(rows, { columns: 100 }).split('\n');
    expect(line).toHaveLength(100);
    expect(line).toMatch(/^www\.example\.test {2}x+… {2}yes {4}i{36}$/);
  });

  test.each([
    ['a host name of 253 octets', `${'a'.repeat(63)}.`.repeat(3) + 'a'.repeat(61)],
    ['wide characters', '日本語の証明書'.repeat(20)],
    ['emoji', '👩‍👩‍👧 🇩🇪 👍🏽 ❤️ '.repeat(20)],
  ])('fits %s and an id into 100 columns', (_what, name) => {
    const rows = [{ name, space: name, state: 'valid', message: name, id: 'i'.repeat(36) }];
    for (const line of formatTable(rows, { columns: 100 }).trimEnd().split('\n'))
      expect(line.replaceAll(/👩‍👩‍👧|🇩🇪|👍🏽|❤️|\p{Lo}/gu, '[]').length).toBeLessThanOrEqual(100);
    expect(formatTable(rows, { columns: 100 })).toMatch(/… +i{36}\n$/);
  });

  test('cuts no column below ten', () => {
    expect(formatTable(rows, { columns: 20 })).toContain('xxxxxxxxx…  yes');
  });
});
