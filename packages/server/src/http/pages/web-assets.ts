import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Request, Response } from 'express';

export function nameOf(request: Request): string {
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

export function readAssets(folder: string): ReadonlyMap<string, Asset> {
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

export function sendAsset(request: Request, response: Response, { contentType, encoded }: Asset): void {
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
export function setPolicy(response: Response, nonce?: string): void {
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
