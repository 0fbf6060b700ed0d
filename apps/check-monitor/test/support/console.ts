import { type Browser, openBrowser, type Story } from '@certloop/browser';
import { createTestDatabase, type OpenTestDatabase } from '@certloop/db/testing';
import { findConsole } from '@certloop/server';
import { setPassword } from '../../src/accounts/passwords.service.js';
import type { AppConfig } from '../../src/app-options.js';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { Holder, openTestApp, passwords, type TestApp } from './app.js';

export const password = 'correct horse battery';

/** Signs in on the page that asks for it. */
export async function signIn({ page }: Story, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The service with its console on SQLite, and a browser. */
export interface ConsoleStage {
  readonly app: TestApp;
  readonly browser: Browser;
  /** Address of the service, with a slash at its end. */
  readonly url: string;
  /** A user with this address and `password`, who owns a project. */
  newOwner(email: string, project: string): Promise<Holder>;
  close(): Promise<void>;
}

/** Opens the service with its console. Its clock begins at the present, as that of the browser does. */
export async function openConsole(overrides: Partial<AppConfig> = {}): Promise<ConsoleStage> {
  const browser = await openBrowser();
  let drop: () => Promise<void> = async () => undefined;
  const open: OpenTestDatabase = async (schema) => {
    const opened = await createTestDatabase('sqlite', schema);
    drop = opened.drop;
    return opened;
  };
  const consoleFolder = findConsole('@certloop/web-monitor', import.meta.url) ?? '';
  // the browser knows no https here; cookies and origins are judged by this address
  const addresses = { siteRoot: 'http://127.0.0.1', pingEndpoint: 'http://127.0.0.1/ping/' };
  const app = await openTestApp(open, { addresses, ...overrides }, { consoleFolder });
  app.clock.set(new Date());
  return {
    app,
    browser,
    url: `http://127.0.0.1:${app.address().port}/`,
    newOwner: async (email, project) => {
      const owner = { email, checkLimit: null, pingLimit: null };
      const holder = new Holder(app.http, await setUpProject(app.accounts, owner, project));
      await setPassword({ ...app.accounts, passwords }, email, password);
      return holder;
    },
    close: async () => {
      await browser.close();
      await app.close();
      await drop();
    },
  };
}
