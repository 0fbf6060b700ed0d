import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Browser, hasBrowser, openBrowser, runStory } from '../src/index.js';

const page = (head: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>A page</title>${head}</head><body><main><h1>A page</h1>${body}</main></body></html>`;

const pages: Readonly<Record<string, string>> = {
  '/good': page('', '<p>All is well</p>'),
  '/script-error': page('', '<p>Text</p><script>setTimeout(() => { throw new Error("torn"); })</script>'),
  '/console-error': page('', '<p>Text</p><script>console.error("wrong")</script>'),
  '/policy': page('<style>p { color: red; }</style>', '<p>Text</p>'),
  '/elsewhere': page('', '<p>Text</p><img alt="" src="http://127.0.0.1:9/x.png">'),
  '/failing': page('', '<p>Text</p><img alt="" src="/broken.png">'),
  '/good-later': page(
    `<style>p { background: #fff; color: #000; transition: color 0.4s }
      @media (prefers-color-scheme: dark) { p { background: #000; color: #fff; } }</style>`,
    '<p>Text</p>',
  ),
  '/pale': page('', '<p style="color: #aaa; background: #fff">Text</p>'),
  '/pale-in-the-dark': page(
    '<style>@media (prefers-color-scheme: dark) { p { color: #333; background: #000; } }</style>',
    '<p>Text</p>',
  ),
  '/nameless': page('', '<p>Text</p><button></button>'),
  '/broad': page('', '<p style="width: 900px">Text</p>'),
};

(hasBrowser() ? describe : describe.skip)('a story', () => {
  let browser: Browser;
  let server: Server;
  let url: string;
  let pictures: string;
  beforeAll(async () => {
    pictures = await mkdtemp(join(tmpdir(), 'certloop-pictures-'));
    server = createServer((request, response) => {
      const html = pages[request.url ?? ''];
      const policy = request.url === '/policy' ? { 'content-security-policy': "style-src 'self'" } : {};
      const headers = { 'content-type': 'text/html; charset=utf-8', ...policy };
      if (html !== undefined) response.writeHead(200, headers).end(html);
      else response.writeHead(request.url === '/broken.png' ? 503 : 404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await openBrowser();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await browser.close();
    await rm(pictures, { recursive: true });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const play = (path: string) =>
    runStory(
      browser,
      { name: `page${path.replace('/', '-')}`, url: `${url}${path}`, pictures },
      async (story) => {
        await story.page.getByRole('heading', { name: 'A page' }).waitFor();
        await story.page.waitForLoadState('load');
        if (/good|pale|nameless|broad/.test(path)) await story.look('shown');
      },
    );

  test('passes on a page without a fault', async () => {
    await play('/good');
    expect(await readdir(pictures)).toEqual(
      ['dark-phone', 'dark-wide', 'light-phone', 'light-wide'].map((kind) => `page-good-shown-${kind}.png`),
    );
  });

  test('passes on a page that changes its colors slowly', async () => {
    await play('/good-later');
  });

  test.each([
    ['/script-error', /torn/],
    ['/console-error', /wrong/],
    ['/policy', /Content Security Policy/i],
    ['/elsewhere', /request to http:\/\/127\.0\.0\.1:9/],
    ['/failing', /503 of/],
    ['/pale', /light: color-contrast/],
    ['/pale-in-the-dark', /dark: color-contrast/],
    ['/nameless', /light: button-name/],
    ['/broad', /phone: \d+ px stand out sideways/],
  ])('fails on the page %s', async (path, reason) => {
    await expect(play(path)).rejects.toThrow(reason);
  });

  test('fails if an element is missing on the page', async () => {
    vi.stubEnv('STORY_TRACE', '1');
    const story = runStory(
      browser,
      { name: 'missing', url: `${url}/good`, pictures },
      async ({ page: shown }) => {
        await shown.getByText('Not there').waitFor({ timeout: 50 });
      },
    );
    await expect(story).rejects.toThrow(/Timeout/);
    expect(await readdir(pictures)).toEqual(
      expect.arrayContaining(['missing-failed.html', 'missing-failed.png', 'missing-failed.zip']),
    );
  });
});
