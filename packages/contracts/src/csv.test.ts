import { expect, test } from 'vitest';
import { csvLine } from './csv.js';

test.each<[string, string[], string]>([
  ['plain cells', ['a', 'b c', ''], 'a,b c,'],
  ['a comma', ['a,b', 'c'], '"a,b",c'],
  ['quotation marks', ['say "x"'], '"say ""x"""'],
  ['line breaks', ['a\r\nb', 'c\nd'], '"a\r\nb","c\nd"'],
  ['JSON', ['{"a":1}'], '"{""a"":1}"'],
  ['a formula', ['=1+1'], `"'=1+1"`],
  ['a formula with quotation marks', ['=HYPERLINK("x")'], `"'=HYPERLINK(""x"")"`],
  ['a plus', ['+1'], `"'+1"`],
  ['a minus', ['-1'], `"'-1"`],
  ['an at sign', ['@SUM(A1)'], `"'@SUM(A1)"`],
  ['a tab before a formula', ['\t=1'], `"'\t=1"`],
  ['a line break before a formula', ['\r=1'], `"'\r=1"`],
  ['a wide formula', ['＝1'], `"'＝1"`],
  ['an equals sign within', ['a=b'], 'a=b'],
  ['emoji', ['🦉'], '🦉'],
])('%s', (_, cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
});
