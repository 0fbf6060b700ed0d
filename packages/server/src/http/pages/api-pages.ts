import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { NotFound } from '@certloop/contracts';
import { type Request, type Response, Router } from 'express';
import { noteRoute } from '../../observability/logger.js';
import { pagePolicy, pageScript, pageStyle, renderApiPage } from './api-page.js';

export interface ApiPagesOptions {
  /** Name of the API. */
  readonly title: string;
  /**
   * Makes the OpenAPI document to serve at /openapi.json, for the first who asks: it takes 0.1 s that no start should
   * pay. Something else serves it there when absent.
   */
  readonly document?: () => object;
}

/**
 * Router of `/docs/`, a page on which people read an API and try it, from this machine alone. Assets have the
 * digest of all of them in their address and may be cached forever; the page itself is fetched again.
 */
export function apiPages({ title, document }: ApiPagesOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/docs', (_request: Request, response: Response) => {
    noteRoute(response, '/docs');
    // relative: a proxy may have put this service below a path of its own
    response.redirect(301, 'docs/');
  });
  router.get('/docs/', async (_request: Request, response: Response) => {
    noteRoute(response, '/docs/');
    const { folder } = await loadAssets();
    send(response, 'no-cache', 'text/html; charset=utf-8', renderApiPage({ title, assets: folder }));
  });
  router.get('/docs/:folder/:name', async (request: Request, response: Response) => {
    noteRoute(response, '/docs/{folder}/{name}');
    const { folder, files } = await loadAssets();
    const { folder: asked, name } = request.params as Record<string, string>;
    const file = asked === folder ? files.get(name ?? '') : undefined;
    if (file === undefined) throw new NotFound('nothing exists at this path');
    const isPacked = request.acceptsEncodings('gzip') === 'gzip';
    response.setHeader('Vary', 'Accept-Encoding');
    if (isPacked) response.setHeader('Content-Encoding', 'gzip');
    send(
      response,
      'public, max-age=31536000, immutable',
      file.contentType,
      isPacked ? file.packed : file.bytes,
    );
  });
  if (document !== undefined) {
    let text: string | undefined;
    router.get('/openapi.json', (_request: Request, response: Response) => {
      noteRoute(response, '/openapi.json');
      text ??= JSON.stringify(document());
      send(response, 'no-cache', 'application/json; charset=utf-8', text);
    });
  }
  return router;
}

function send(response: Response, keep: string, contentType: string, body: string | Uint8Array): void {
  response.setHeader('Cache-Control', keep);
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Security-Policy', pagePolicy);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.send(Buffer.from(body));
}

interface Asset {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The same, compressed by gzip. */
  readonly packed: Uint8Array;
}

interface Assets {
  /** Name of the folder that they are served in: the digest of them all. */
  readonly folder: string;
  readonly files: ReadonlyMap<string, Asset>;
}

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';

// The only files that can be asked for: no name reaches the file system.
const packaged = [
  ['swagger-ui-bundle.js', script],
  ['swagger-ui.css', style],
  ['favicon-32x32.png', 'image/png'],
] as const;

let loading: Promise<Assets> | undefined;

/** Assets in memory, from the first visitor on: most processes never have one. */
function loadAssets(): Promise<Assets> {
  loading ??= readAssets().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function readAssets(): Promise<Assets> {
  // from this package, whose dependency it is, even where this module is part of a bundle
  const fromHere = createRequire(createRequire(import.meta.url).resolve('@certloop/server/package.json'));
  const home = dirname(fromHere.resolve('swagger-ui-dist/package.json'));
  const own: [string, string, Uint8Array][] = [
    ['page.js', script, Buffer.from(pageScript)],
    ['page.css', style, Buffer.from(pageStyle)],
  ];
  const read = packaged.map(
    async ([name, type]): Promise<[string, string, Uint8Array]> => [
      name,
      type,
      await readFile(join(home, name)),
    ],
  );
  const all = [...(await Promise.all(read)), ...own];
  const digest = createHash('sha256');
  for (const [, , bytes] of all) digest.update(bytes);
  const files = all.map(async ([name, contentType, bytes]): Promise<[string, Asset]> => {
    return [name, { contentType, bytes, packed: await promisify(gzip)(bytes) }];
  });
  return { folder: digest.digest('hex').slice(0, 16), files: new Map(await Promise.all(files)) };
}
