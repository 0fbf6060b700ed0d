import { type APIRequestContext, type Browser, openBrowser, runStory, type Story } from '@certloop/browser';
import { findConsole, listen } from '@certloop/server';
import { startAppOnSqlite, type TestApp } from './app.js';
import { type FakeCa, startFakeCa } from './cas/fake-ca.js';
import type { Person } from './people.js';

/** The application with its console at a real port, a browser, and a CA that signs. */
export interface ConsoleStage {
  readonly app: TestApp;
  readonly ca: FakeCa;
  readonly url: string;
  /** Plays a story as a person who has just signed in, from the page at `path` below `/ui`. */
  play(name: string, person: Person, path: string, story: (parts: Story) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Starts all of it, with more settings; close it in an `afterAll`. */
export async function startConsoleStage(
  environment: Readonly<Record<string, string>> = {},
): Promise<ConsoleStage> {
  let now = () => new Date();
  const ca = await startFakeCa({ now: () => now() });
  const [browser, app] = await Promise.all([
    openBrowser(),
    startAppOnSqlite({
      consoleFolder: findConsole('@certloop/web-manager', import.meta.url) ?? '',
      environment: { DUMMY_CA_URL: ca.url, ...environment },
      // as the page compares moments with the browser's clock
      now: new Date(),
    }),
  ]);
  now = () => app.clock.now();
  await ca.restart();
  const { url, close } = await listen(app.http, { host: '127.0.0.1', port: 0 });
  return {
    app,
    ca,
    url,
    play: (name, person, path, story) => playAs(browser, { name, url, person, path }, story),
    close: async () => {
      await browser.close();
      await close();
      await app.close();
      await ca.close();
    },
  };
}

async function playAs(
  browser: Browser,
  { name, url, person, path }: { name: string; url: string; person: Person; path: string },
  story: (parts: Story) => Promise<void>,
): Promise<void> {
  const { username, password } = person;
  const signIn = (request: APIRequestContext) =>
    request.post(`${url}/auth/login`, { data: { username, password }, failOnStatusCode: true });
  await runStory(browser, { name, url: `${url}/ui${path}`, signIn }, async (parts) => {
    await parts.page.getByRole('button', { name: `Menu of ${username}` }).waitFor();
    await story(parts);
  });
}
