import type { BadgeStatus } from '@certloop/contracts';

// Widths in pixels of letters that are not 7 wide, in Verdana at 11 pixels: existing badges are cut by them.
const lettersByWidth: readonly (readonly [number, string])[] = [
  [3, 'ijlI'],
  [4, 'frJ-'],
  [5, 't'],
  [6, 'cesxFLP1_'],
  [8, 'ACDHNUV'],
  [9, 'wGOQ'],
  [10, 'mM'],
  [11, 'W'],
];

const usualWidth = 7;
const margins = 10;
const widths: ReadonlyMap<string, number> = new Map(
  lettersByWidth.flatMap(([width, letters]) =>
    [...letters].map((letter): [string, number] => [letter, width]),
  ),
);

const colours: Readonly<Record<BadgeStatus, string>> = { up: '#4c1', late: '#fe7d37', down: '#e05d44' };

/** Width in pixels of a part of a badge that holds `text`, margins included. */
export function partWidth(text: string): number {
  return [...text].reduce((sum, letter) => sum + (widths.get(letter) ?? usualWidth), margins);
}

/** SVG document of a badge: the label on the left, the status in its colour on the right. */
export function drawBadge(label: string, status: BadgeStatus): string {
  const left = partWidth(label);
  const right = partWidth(status);
  const width = left + right;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20">
  <linearGradient id="smooth" x2="0" y2="100%">
    <stop offset="0" stop-color="#bbb" stop-opacity=".1"/>
    <stop offset="1" stop-opacity=".1"/>
  </linearGradient>
  <mask id="round">
    <rect width="${width}" height="20" rx="3" fill="#fff"/>
  </mask>
  <g mask="url(#round)">
    <rect width="${left}" height="20" fill="#555"/>
    <rect x="${left}" width="${right}" height="20" fill="${colours[status]}"/>
    <rect width="${width}" height="20" fill="url(#smooth)"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
${centredText(label, left / 2)}
${centredText(status, left + right / 2)}
  </g>
</svg>
`;
}

/** The text over its shadow, which lies one pixel lower. */
function centredText(text: string, centre: number): string {
  const escaped = escapeXml(text);
  return `    <text x="${centre}" y="15" fill="#010101" fill-opacity=".3">${escaped}</text>
    <text x="${centre}" y="14">${escaped}</text>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
};

// Characters that XML 1.0 §2.2 allows; others may stand in a name but not even escaped in a document.
const notXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function escapeXml(text: string): string {
  return text.replace(notXml, '\u{fffd}').replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
