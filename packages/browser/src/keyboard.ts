import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

const maxTabs = 80;

/** Visible facts of the element with the focus, measured within the page. */
interface Focused {
  readonly name: string;
  readonly isVisible: boolean;
  readonly isCovered: boolean;
  readonly isSmall: boolean;
}

/*
 * The control of a switch or a checkbox is drawn beside its hidden input, so both count. A link within a sentence may
 * be smaller than 24 pixels (WCAG 2.5.8).
 */
const focused = `(() => {
  const element = document.activeElement;
  const drawn = element.matches('[type=checkbox], [role=switch], [type=radio]') ? element.parentElement : element;
  const box = drawn.getBoundingClientRect();
  const styles = [element, drawn, ...drawn.querySelectorAll('*')].map((one) => getComputedStyle(one));
  const isField = element.matches('input, textarea, select') && !matchMedia('(forced-colors: active)').matches;
  const x = Math.min(Math.max(box.x + box.width / 2, 1), innerWidth - 1);
  const y = box.y + Math.min(box.height, innerHeight) / 2;
  const top = document.elementFromPoint(x, y);
  return {
    name: element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 60),
    isVisible: isField || styles.some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1),
    isCovered: top === null || !(drawn.contains(top) || top.contains(drawn)),
    isSmall: (box.height < 24 || box.width < 24) && getComputedStyle(element).display !== 'inline',
  };
})()`;

/**
 * Presses Tab until the element has the focus. Fails where it is not reached, and at each step where the focus is not
 * visible, is behind something such as the sticky header, or is on a target below 24 pixels.
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' });
  const passed: string[] = [];
  for (let tabs = 0; tabs < maxTabs; tabs += 1) {
    await page.keyboard.press('Tab');
    const { name, isVisible, isCovered, isSmall } = (await page.evaluate(focused)) as Focused;
    if (name.startsWith('BODY')) continue;
    passed.push(name);
    assert.deepEqual(
      { name, isVisible, isCovered, isSmall },
      { name, isVisible: true, isCovered: false, isSmall: false },
    );
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error(`Tab does not lead there; it leads to ${passed.join(', ')}`);
}

/** To be evaluated in a page: resolves once it is laid out anew. */
export const painted = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Elements that stand out sideways of the page, unless the page need not be scrolled for them. */
const overhanging = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.tagName + '.' + one.className + ' ' + Math.round(one.getBoundingClientRect().right))`;

/** Fails where a narrow screen, or a zoom of 200 %, has to be scrolled sideways. */
export async function assertFits(page: Page): Promise<void> {
  for (const [width, height] of [
    [320, 640],
    [720, 450],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.evaluate(painted);
    assert.deepEqual(await page.evaluate(overhanging), [], `${page.url()} at ${width} px`);
  }
}

/** Opens each dialog by its button and closes it again with Esc. Fails where the focus is not back on the button. */
export async function assertFocusReturns(page: Page, buttons: readonly (string | RegExp)[]): Promise<void> {
  const dialog = page.getByRole('dialog');
  for (const name of buttons) {
    const button = page.getByRole('button', { name }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    // Escape closes the dialog that has the focus
    await page.locator('[role=dialog]:focus-within').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await button.and(page.locator(':focus')).waitFor();
  }
}
