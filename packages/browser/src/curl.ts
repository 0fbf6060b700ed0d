import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasProgram } from '@certloop/server/testing';
import type { Page } from 'playwright-core';
import { searchPath } from './config.js';

const run = promisify(execFile);

/** Whether the commands that pages show can be run; if not, standard error says what is left out. */
export function hasCurl(): boolean {
  return hasProgram('curl', 'no command of a page is run');
}

/** Paths of all pages that need a session, from the routes of a console whose built folder this is. */
export function pagePaths(consoleFolder: string): readonly string[] {
  const routes = readFileSync(join(consoleFolder, '../src/router.tsx'), 'utf8');
  const found = [...routes.matchAll(/getParentRoute: \(\) => inside,\s*path: '([^']+)'/g)];
  assert.ok(found.length > 5, 'the routes are written in another way');
  return found.map(([, path = '']) => path);
}

/** The path with the ids in the places of its parameters. Fails for one without an id. */
export function filledPath(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replace(/\$(\w+)/g, (_, name: string) => {
    const id = ids[name];
    assert.ok(id !== undefined, `${path}: the test has no ${name}`);
    return id;
  });
}

/** Opens another page of the console without loading the console again. */
export async function openPath(page: Page, path: string): Promise<void> {
  // the page before it stays until the code of the next one is there
  await page.evaluate("document.querySelector('main h1')?.setAttribute('data-before', '')");
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  await page.locator('main h1:not([data-before])').first().waitFor();
  await page.locator('main .cl-waiting').first().waitFor({ state: 'detached' });
}

/** The commands of the dialog that "Copy as curl" in the header opens; the dialog is closed again. */
export async function commandsOfPage(page: Page): Promise<readonly string[]> {
  await page.getByRole('banner').getByRole('button', { name: 'Copy as curl' }).click();
  const dialog = page.getByRole('dialog', { name: 'This page as curl' });
  await dialog.waitFor();
  const commands = await dialog.locator('pre').allTextContents();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return commands;
}

/**
 * Runs each of the commands of pages once, with these variables, the one that signs in first. Returns those that are not
 * answered with 200, after their HTTP status.
 */
export async function failingCommands(
  commands: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const isSignIn = (command: string) => command.includes(' -c cookies ');
  const unique = [...new Set(commands)];
  const ordered = [...unique.filter(isSignIn), ...unique.filter((one) => !isSignIn(one))];
  const folder = await mkdtemp(join(tmpdir(), 'certloop-curl-'));
  try {
    const quiet = `curl() { command curl -sS -o /dev/null -w '%{http_code}\\n' "$@"; }`;
    const { stdout } = await run('/bin/sh', ['-c', [quiet, ...ordered].join('\n')], {
      cwd: folder,
      env: { PATH: searchPath(), ...variables },
    });
    const statuses = stdout.trim().split('\n');
    return ordered
      .map((command, place) => `${statuses[place]} ${command}`)
      .filter((text) => !text.startsWith('200 '));
  } finally {
    await rm(folder, { recursive: true });
  }
}
