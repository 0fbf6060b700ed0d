import { hasProgram } from '@certloop/server/testing';
import { type Browser, chromium } from 'playwright-core';
import { browserPath } from './config.js';

export type { APIRequestContext, Browser } from 'playwright-core';

/** Whether there is a browser; where there is none, standard error says what is left out. */
export function hasBrowser(): boolean {
  return hasProgram(browserPath(), 'no page is looked at');
}

/** Starts the browser, without a window. Close it after the last story. */
export function openBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: browserPath(),
    // Chromium's sandbox refuses to run as root
    chromiumSandbox: !isRoot,
    args: ['--disable-dev-shm-usage', '--disable-gpu'],
  });
}
