import { describe, expect, test } from 'vitest';
import { drawBadge, partWidth } from './badge-svg.js';

describe('width of a part', () => {
  const table = `a7 b7 c6 d7 e6 f4 g7 h7 i3 j3 k7 l3 m10 n7 o7 p7 q7 r4 s6 t5 u7 v7 w9 x6 y7 z7
    07 16 27 37 47 57 67 77 87 97 A8 B7 C8 D8 E7 F6 G9 H8 I3 J4 K7 L6 M10 N8 O9 P6 Q9 R7 S7 T7 U8 V8 W11 X7 Y7 Z7
    -4 _6 .7 é7 漢7`;

  test.each(table.split(/\s+/).map((entry): [string, number] => [entry.slice(0, 1), Number(entry.slice(1))]))(
    'of %s adds %i to the margins',
    (letter, width) => {
      expect(partWidth(letter)).toBe(10 + width);
    },
  );

  test.each([
    ['only margins', '', 10],
    ['several letters', 'prod', 35],
    ['a character outside the basic plane counts once', '😀', 17],
  ])('%s', (_situation, text, width) => {
    expect(partWidth(text)).toBe(width);
  });
});

describe('drawing of a badge', () => {
  test('has the geometry of existing badges', () => {
    expect(drawBadge('prod', 'up')).toBe(`<svg xmlns="http://www.w3.org/2000/svg" width="59" height="20">
  <linearGradient id="smooth" x2="0" y2="100%">
    <stop offset="0" stop-color="#bbb" stop-opacity=".1"/>
    <stop offset="1" stop-opacity=".1"/>
  </linearGradient>
  <mask id="round">
    <rect width="59" height="20" rx="3" fill="#fff"/>
  </mask>
  <g mask="url(#round)">
    <rect width="35" height="20" fill="#555"/>
    <rect x="35" width="24" height="20" fill="#4c1"/>
    <rect width="59" height="20" fill="url(#smooth)"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
    <text x="17.5" y="15" fill="#010101" fill-opacity=".3">prod</text>
    <text x="17.5" y="14">prod</text>
    <text x="47" y="15" fill="#010101" fill-opacity=".3">up</text>
    <text x="47" y="14">up</text>
  </g>
</svg>
`);
  });

  test.each([
    ['up', '#4c1'],
    ['late', '#fe7d37'],
    ['down', '#e05d44'],
  ] as const)('%s has its color', (status, colour) => {
    expect(drawBadge('x', status)).toContain(`height="20" fill="${colour}"/>`);
  });

  test.each([
    ['markup', `<a href="x">&'`, '&lt;a href=&quot;x&quot;&gt;&amp;&#x27;'],
    ['characters that XML cannot contain', 'a\u0000b\u001bc\uffff', 'a\ufffdb\ufffdc\ufffd'],
    ['a lone surrogate', 'a\ud800', 'a\ufffd'],
  ])('a label with %s stays a well-formed document', (_situation, label, written) => {
    expect(drawBadge(label, 'up')).toContain(`y="14">${written}</text>`);
  });
});
