import { expect, test } from 'vitest';
import { namesIn } from './pasted-names.js';

test.each<readonly [string, string, readonly string[]]>([
  ['a line each', 'a.example\nb.example\n', ['a.example', 'b.example']],
  ['lines of Windows and blanks around', '  a.example \r\n\tb.example\r\n', ['a.example', 'b.example']],
  ['commas and semicolons', 'a.example, b.example;c.example', ['a.example', 'b.example', 'c.example']],
  ['comments', '# web\na.example # front\n', ['a.example']],
  ['international names and wildcards', 'bücher.example\n*.example', ['bücher.example', '*.example']],
  ['twins, which the service finds', 'a.example\na.example', ['a.example', 'a.example']],
  ['nothing', ' \n\n,', []],
])('reads %s', (_, text, names) => {
  expect(namesIn(text)).toEqual(names);
});
