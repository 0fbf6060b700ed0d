import { expect, test } from '@jest/globals';
import { textOfHtml } from './html-text.js';

test.each([
  ['tags leave nothing behind', '<p>back<b>up</b></p><p>done</p>', 'backupdone'],
  ['runs of blanks become one', ' a \n\t <br>\u00a0 b ', 'a b'],
  ['scripts and styles are skipped', 'a<script>error</script><STYLE>.error{}</STYLE>b', 'ab'],
  ['comments are skipped', 'a<!-- error -->b', 'ab'],
  ['a script that does not end', 'a<script>error', 'a'],
  ['a tag that does not end', 'a<b error', 'a'],
  ['entities are what they stand for', '&lt;a&gt; &amp; &#98;&#x63; &quot;d&QUOT;', '<a> & bc "d"'],
  ['letters and marks by name', 'Gr&uuml;&szlig;e &Uuml;&nbsp;&frac12;&ndash;&yuml;', 'Grüße Ü ½–ÿ'],
  ['what is no entity stays', '&none; &#0; & a < b', '&none; &#0; & a < b'],
])('%s', (_situation, html, text) => {
  expect(textOfHtml(html)).toBe(text);
});

test('a long text of beginnings takes no time', () => {
  const began = performance.now();
  textOfHtml('<script'.repeat(20_000));
  textOfHtml('<!--'.repeat(20_000));
  textOfHtml('<a'.repeat(20_000));
  expect(performance.now() - began).toBeLessThan(2000);
});
