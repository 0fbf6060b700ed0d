import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import { expect, test } from 'vitest';
import { resultOf, stepsOfHtml } from './html-text.js';

const textOf = (html: string) => resultOf(stepsOfHtml(html));

// what the HTML parser of Python 3.11 makes of the same texts
test.each([
  ['tags leave nothing behind', '<p>back<b>up</b></p><p>done</p>', 'backupdone'],
  ['runs of blanks become one', ' a \n\t <br>\u00a0 b\u0085c ', 'a b c'],
  ['scripts and styles are skipped', 'a<script>error</script><STYLE>.error{}</STYLE>b', 'ab'],
  ['an empty script hides nothing', '<script/>y</script>z', 'yz'],
  ['comments are skipped', 'a<!-- error -->b', 'ab'],
  ['declarations and text that is not a tag are skipped', '<!doctype html>a<?php x ?>b</ c>d', 'abd'],
  ['a script that does not end', 'a<script>error', 'a'],
  ['a comment that does not end', 'a<!-- error', 'a'],
  ['a tag that does not end', 'a<b error', 'a'],
  ['a quoted value ends no tag', '<a title="x > FAILED">y</a>', 'y'],
  ['a value in single quotes ends no tag either', "<a title = 'x > FAILED'b='>' c>y</a>", 'y'],
  ['a quote within a value is not a quote', '<a href=x?a="b>y</a>', 'y'],
  ['a quoted value that does not end', 'a<a title="x > FAILED', 'a'],
  ['signs of less', '1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
  ['entities are decoded', '&lt;a&gt; &amp; &#98;&#x63; &quot;d&QUOT;', '<a> & bc "d"'],
  [
    'letters and marks by name',
    'Gr&uuml;&szlig;e &nbsp;&frac12;&ndash; &zeta;&hearts;&rarr;',
    'Grüße ½– ζ♥→',
  ],
  ['names without a semicolon', '&copy2 &ampx', '©2 &x'],
  ['numeric entities of Windows-1252 and of NUL', 'a&#128;b&#0;', 'a€b\ufffd'],
  ['text that is not an entity stays', '&none; & a < b', '&none; & a < b'],
  ['a tag parts an entity', '&am<b>p;</b> x', '&amp; x'],
])('%s', (_situation, html, text) => {
  expect(textOf(html)).toBe(text);
});

test.each([
  '<script',
  '<!--',
  '<a',
  '<b>x',
  '<b>&amp;',
  '<a b="',
  '<a =  ',
  '<a b=\'x">',
  '< ',
  '<style></style>',
  '&',
  '&#1',
  ' ',
])('takes less than a calibrated second for a megabyte of %s', async (piece) => {
  const convert = () => textOf(piece.repeat(1e6 / piece.length));
  expect(await excessMs(1000, () => cpuMsOf(convert))).toBeUndefined();
});

test('takes time in proportion to a run of blanks between words', async () => {
  const convert = () => expect(textOf(`x${' '.repeat(1_000_000)}x`)).toBe('x x');
  expect(await excessMs(50, () => cpuMsOf(convert))).toBeUndefined();
});
