import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatCsv } from './report.js';
import { visibleJson, visibleYaml } from './visible-text.js';

const hostile = [
  'invoice\u202egpj.exe',
  'a\u009b2Jb',
  'a\u{e0001}b',
  'a\u2028b',
  '\u200b',
  'line\nbreak \u2066x',
  `${'long '.repeat(40)}\u202e${'text '.repeat(40)}`,
];

describe.each([
  ['JSON', (value: unknown) => visibleJson(value, 2), (text: string): unknown => JSON.parse(text)],
  ['YAML', visibleYaml, (text: string): unknown => parse(text)],
])('%s', (_format, write, read) => {
  test.each(hostile)('has no raw character of %j and means the same', (text) => {
    const value = { [text]: [text, { name: text, count: -1 }], other: 'plain' };
    expect(write(value)).not.toMatch(/[\p{Cf}\u007f-\u009f\u2028\u2029]/u);
    expect(read(write(value))).toEqual(value);
  });

  test('leaves other texts as they are', () => {
    expect(write({ name: 'Café 👩\u200d🚀' })).toContain('Café 👩\u200d🚀');
  });
});

test.each<[unknown, string]>([
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['+1', `"'+1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  [-1, '-1'],
  ['a\u001b[2Jb', 'a [2Jb'],
  ['a\u202eb', 'a b'],
  ['a\r\nb', '"a\nb"'],
  ['x,y', '"x,y"'],
  [{ a: 1 }, '"{""a"":1}"'],
  [undefined, ''],
])('CSV has %j as %s', (value, cell) => {
  expect(formatCsv([{ name: value }])).toBe(`name\r\n${cell}\r\n`);
});
