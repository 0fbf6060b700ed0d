import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { MethodNotAllowed, NotFound } from '@certloop/contracts';
import { type NextFunction, type Request, type Response, Router } from 'express';
import { noteRoute } from '../../observability/logger.js';

function nameOf(request: Request): string {
  const { name = [] } = request.params as { readonly name?: readonly string[] };
  return name.join('/');
}

interface Asset {
  readonly contentType: string;
  /** The file as it is, and as each encoding that was built, the best one first. */
  readonly encoded: readonly (readonly [encoding: string, bytes: Uint8Array])[];
}

const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

function readAssets(folder: string): ReadonlyMap<string, Asset> {
  if (!existsSync(folder)) return new Map();
  const names = new Set(readdirSync(folder, { withFileTypes: true }).flatMap(fileName));
  const assets = new Map<string, Asset>();
  for (const name of names) {
    if (encodings.some(([, suffix]) => name.endsWith(suffix))) continue;
    const read = (suffix: string) => readFileSync(join(folder, name + suffix));
    const packed = encodings.filter(([, suffix]) => names.has(name + suffix));
    assets.set(name, {
      contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
      encoded: [
        ...packed.map(([encoding, suffix]) => [encoding, read(suffix)] as const),
        ['identity', read('')],
      ],
    });
  }
  return assets;
}

function fileName(entry: { readonly name: string; isFile(): boolean }): string[] {
  return entry.isFile() ? [entry.name] : [];
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

function sendAsset(request: Request, response: Response, { contentType, encoded }: Asset): void {
  // each on its own: browsers name gzip first, which is not a preference
  const accepted = encoded.find(([name]) => request.acceptsEncodings(name) === name);
  const [encoding, bytes] = accepted ?? (encoded.at(-1) as (typeof encoded)[0]);
  setPolicy(response);
  response.vary('Accept-Encoding');
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  response.setHeader('Content-Type', contentType);
  response.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** Sets what a browser may do with these pages (CSP Level 3); replaces the policy of the API. */
function setPolicy(response: Response, nonce?: string): void {
  const styles = nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`;
  response.setHeader(
    'Content-Security-Policy',
    `default-src 'none'; script-src 'self'; ${styles}; img-src 'self' data: blob:; font-src 'self'; ` +
      "connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  );
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}

/**
 * Folder of a console's built pages, found by the package that the module at `from` depends on; undefined when the
 * package is not installed or not built.
 */
export function findConsole(packageName: string, from: string): string | undefined {
  try {
    const folder = join(dirname(createRequire(from).resolve(`${packageName}/package.json`)), 'dist');
    return existsSync(join(folder, 'index.html')) ? folder : undefined;
  } catch {
    return undefined;
  }
}

export interface WebConsoleOptions {
  /** Holds `index.html` and, in `assets/`, files with a hash in their names, perhaps with `.br` and `.gz` beside them. */
  readonly folder: string;
  /** Address that browsers use, such as https://certs.example.org/certs; its path is put before `/ui/`. */
  readonly publicUrl?: string | undefined;
}

/**
 * Router of a console at `/ui/`. All files are read once, here: no name in a request reaches the file system. Every
 * page is the index with a new nonce in each `nonce` attribute; missing assets are NotFound, never the index, which a
 * browser would refuse as a script. `/` redirects to the console where HTML is preferred.
 */
export function webConsole({ folder, publicUrl }: WebConsoleOptions): Router {
  const base = `${publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '')}/ui/`;
  const index = prepareIndex(readFileSync(join(folder, 'index.html'), 'utf8'), base);
  const assets = readAssets(join(folder, 'assets'));
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (request: Request, response: Response, next: NextFunction) => {
    response.vary('Accept');
    // type/subtype that comes first wins a tie, so `*/*` keeps its 404
    if (request.accepts(['application/json', 'text/html']) !== 'text/html') return next();
    noteRoute(response, '/');
    response.redirect(302, base);
  });
  router.get('/ui', (_request: Request, response: Response) => {
    noteRoute(response, '/ui');
    // relative: a proxy may have put this service below a path of its own
    response.redirect(301, 'ui/');
  });
  router.get('/ui/assets/{*name}', (request: Request, response: Response) => {
    noteRoute(response, '/ui/assets/{name}');
    const asset = assets.get(nameOf(request));
    if (asset === undefined) throw new NotFound('nothing exists at this path');
    sendAsset(request, response, asset);
  });
  router.get(['/ui/', '/ui/*page'], (_request: Request, response: Response) => {
    noteRoute(response, '/ui/{page}');
    const nonce = randomBytes(16).toString('base64url');
    setPolicy(response, nonce);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.send(Buffer.from(index.join(nonce)));
  });
  router.all(['/ui', '/ui/', '/ui/*page'], (request: Request, response: Response) => {
    noteRoute(response, request.path.startsWith('/ui/assets/') ? '/ui/assets/{name}' : '/ui/{page}');
    throw new MethodNotAllowed(request.method, 'GET, HEAD');
  });
  return router;
}

/** The index with its `<base>` set, cut at each place where the nonce goes. */
function prepareIndex(html: string, base: string): string[] {
  const head = html.replace(/<base\b[^>]*>/gi, '');
  const hasMeta = /<meta\b[^>]*property="csp-nonce"/i.test(head);
  const meta = hasMeta ? '' : '<meta property="csp-nonce" nonce="">';
  return head
    .replace(/<head\b[^>]*>/i, (tag) => `${tag}<base href="${base.replace(/"/g, '%22')}">${meta}`)
    .split(/(?<=\bnonce=")[^"]*(?=")/i);
}
