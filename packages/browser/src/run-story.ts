import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { APIRequestContext, Browser, BrowserContext, Page } from 'playwright-core';
import { accessibilityFaults } from './accessibility.js';
import { isTraced } from './config.js';
import { painted } from './keyboard.js';

/** Where pictures are left unless a story says another folder; the gate keeps this one. */
const usualPictures = fileURLToPath(new URL('../../../../run/pictures', import.meta.url));

/** Limit in milliseconds of a step, which only a hang exceeds: ten times what the longest takes on a quiet machine. */
const stepMs = 120_000;

const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 360, height: 740 } } as const;

export interface Story {
  readonly page: Page;
  /** Another tab of the same browser. */
  openTab(): Promise<Page>;
  /**
   * Looks at the page as it stands: takes pictures of it on a wide screen and a phone, light and dark, and fails where
   * axe finds a fault or something has to be scrolled sideways.
   */
  look(stop: string): Promise<void>;
}

export interface StoryOptions {
  /** Begins the names of its pictures. */
  readonly name: string;
  readonly url: string;
  /** Folder of the pictures. */
  readonly pictures?: string;
  /** Signs in before the first page, by requests whose cookies the browser keeps. */
  readonly signIn?: (request: APIRequestContext) => Promise<unknown>;
}

/**
 * Plays a story in a browser profile of its own, from the page at `url`. It fails by an error on the console, which a
 * violation of the content security policy is, by a request to another origin, by an answer with a status of 500 or
 * more, and by what `play` throws. Of a story that fails, a picture and the page are left, with `STORY_TRACE=1` a trace too; of one
 * that passes, a line with its seconds on standard error.
 */
export async function runStory(
  browser: Browser,
  { name, url, signIn, pictures = usualPictures }: StoryOptions,
  play: (story: Story) => Promise<void>,
): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  const context = await browser.newContext({
    viewport: sizes.wide,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    colorScheme: 'light',
  });
  context.setDefaultTimeout(stepMs);
  // it takes a twentieth of the time of a story
  if (isTraced()) await context.tracing.start();
  const faults: string[] = [];
  const startedAt = performance.now();
  noteFaults(context, new URL(url).origin, faults);
  const page = await context.newPage();
  try {
    await signIn?.(context.request);
    await page.goto(url);
    await play({
      page,
      openTab: () => context.newPage(),
      look: (stop) => look(page, { name: `${name}-${stop}`, pictures, faults }),
    });
    assert.deepEqual(faults, []);
    process.stderr.write(`story ${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  } catch (error) {
    await page.screenshot({ path: `${pictures}/${name}-failed.png` }).catch(() => undefined);
    const content = await page.content().catch(() => undefined);
    if (content !== undefined) writeFileSync(`${pictures}/${name}-failed.html`, content);
    if (isTraced()) {
      await context.tracing.stop({ path: `${pictures}/${name}-failed.zip` }).catch(() => undefined);
    }
    throw faults.length === 0 ? error : new Error(faults.join('\n'), { cause: error });
  } finally {
    await context.close();
  }
}

function noteFaults(context: BrowserContext, origin: string, faults: string[]): void {
  context.on('console', (message) => {
    // refused requests are part of some stories; those that fail for the service are noted below
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
    faults.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => faults.push(`page: ${String(error.error().stack)}`));
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.origin !== origin) faults.push(`request to ${url.href}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} of ${response.url()}`);
  });
}

interface Look {
  readonly name: string;
  readonly pictures: string;
  readonly faults: string[];
}

/** In an order with few changes, each of which draws the page anew. */
const looks = [
  ['wide', 'light'],
  ['wide', 'dark'],
  ['phone', 'dark'],
  ['phone', 'light'],
] as const;

const transitionsOver = `Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))`;

async function look(page: Page, { name, pictures, faults }: Look): Promise<void> {
  const session = await page.context().newCDPSession(page);
  // transitions of colors end at once
  await session.send('Animation.enable');
  await session.send('Animation.setPlaybackRate', { playbackRate: 1000 });
  for (const [size, colorScheme] of looks) {
    await page.setViewportSize(sizes[size]);
    await page.emulateMedia({ colorScheme });
    // a script of the page changes its colors, some of them slowly
    await page.evaluate(painted);
    await page.evaluate(transitionsOver);
    if (size === 'wide') {
      const found = await accessibilityFaults(page, colorScheme === 'light' ? 'everything' : 'colors');
      faults.push(...found.map((fault) => `${name}, ${colorScheme}: ${fault}`));
    }
    // as page.screenshot would in twice the time, for a smaller file
    const { data } = await session.send('Page.captureScreenshot', { optimizeForSpeed: true });
    writeFileSync(`${pictures}/${name}-${colorScheme}-${size}.png`, data, 'base64');
    const overhang = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    if (Number(overhang) > 0) faults.push(`${name}, ${size}: ${overhang} px stand out sideways`);
  }
  await session.detach();
  await page.setViewportSize(sizes.wide);
  await page.emulateMedia({ colorScheme: 'light' });
}
