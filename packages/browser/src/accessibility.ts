import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What of a page breaks WCAG 2.2 AA as far as axe can see it, a line for each place. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  )) as AxeResults;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')}: ${failureSummary ?? ''}`,
    ),
  );
}
