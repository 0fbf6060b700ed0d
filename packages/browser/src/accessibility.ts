import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const everyRule = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Rules that another color scheme can break: the rest asks for elements, names and sizes, which stay. */
const rulesOfColors = ['color-contrast', 'link-in-text-block'];

/**
 * Scope of a check by axe: the page as a whole, or only the colors of one that was judged in the other color scheme.
 */
export type Judged = 'everything' | 'colors';

/** Returns what of a page breaks WCAG 2.2 AA as far as axe can see it, a line for each place. */
export async function accessibilityFaults(page: Page, judged: Judged): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const runOnly =
    judged === 'everything' ? { type: 'tag', values: everyRule } : { type: 'rule', values: rulesOfColors };
  // no rule of these reads style sheets, which axe would fetch again
  const options = { runOnly, resultTypes: ['violations'], preload: false };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')}: ${failureSummary ?? ''}`,
    ),
  );
}
