import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

// Sentences that stand on a page as they are, with why they hold no moment of the service; all others go through
// readableTimes, wholeSentence or sentenceOf, which show moments in the zone of the reader.
const withoutMoments = {
  'pages/dashboard/attention-card.tsx watch.message': 'counts integrations; the moments are fields',
  'pages/dashboard/watch-card.tsx watch.message': 'counts integrations; the moments are fields',
  'pages/fqdn/life-card.tsx sentence': 'went through wholeSentence',
  'limits/check-line.tsx detail': 'is of the page',
  'pages/issuance-policy/policy-form.tsx message': 'is about what was typed',
  'picker.tsx choice.detail': 'is of the page',
};

/** Texts of the service that a page shows as they are, such as `{status.message}`. */
function shownAsTheyAre(code) {
  return [...code.matchAll(/(?<!=)\{((?:[\w?]+\.)*(?:message|reason|detail|hint|sentence))\}/g)].map(
    ([, text]) => text,
  );
}

test('every sentence of the service is shown with its moments in the zone of the reader', () => {
  const files = readdirSync(src, { recursive: true, withFileTypes: true }).filter(({ name }) =>
    name.endsWith('.tsx'),
  );
  const found = files.flatMap(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return shownAsTheyAre(readFileSync(path, 'utf8')).map((text) => `${relative(src, path)} ${text}`);
  });
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(withoutMoments).toSorted());
});

test.each([
  ['<p>{status.reason}</p>', ['status.reason']],
  ['<p>{message}</p>', ['message']],
  ['<Dots sentence={sentence} />', []],
  ['<p>{readableTimes(status.reason)}</p>', []],
])('sees what of %s is shown as it is', (code, expected) => {
  expect(shownAsTheyAre(code)).toEqual(expected);
});
