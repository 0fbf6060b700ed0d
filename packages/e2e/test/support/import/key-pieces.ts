import { createPrivateKey } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All files below a folder, links left out. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile());
}

/** The texts of all private keys in the files, those within JSON included, which are in base64 once more. */
function keysIn(text: string): string[] {
  const pem = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----\n?/g;
  const encoded = [...text.matchAll(/LS0tLS1CRUdJTi[A-Za-z0-9+/=]+/g)].map(([found]) =>
    Buffer.from(found, 'base64').toString(),
  );
  return [text, ...encoded].flatMap((each) => [...each.matchAll(pem)].map(([found]) => found));
}

/** The private number of a key in JSON, as certbot stores the one of its account. */
function numbersIn(text: string): string[] {
  return [...text.matchAll(/"d":\s*"([\w-]{32,})"/g)].map(([, number = '']) => number.slice(0, 32));
}

/** Parts of the private keys in the files, in all usual encodings: found elsewhere, each is a copy of a key. */
export function keyPieces(files: readonly string[]): string[] {
  const texts = files.map((file) => readFileSync(file, 'latin1'));
  const keys = new Set(texts.flatMap(keysIn));
  return [...new Set([...[...keys].flatMap(piecesOf), ...texts.flatMap(numbersIn)])];
}

/** Whether a line has eight octets in a row of a secret; others may be of the public half, which certificates have. */
function sharesOctets(line: Buffer, secrets: readonly Buffer[]): boolean {
  for (let at = 0; at + 8 <= line.length; at += 1) {
    if (secrets.some((secret) => secret.includes(line.subarray(at, at + 8)))) return true;
  }
  return false;
}

function piecesOf(pem: string): string[] {
  const key = createPrivateKey(pem);
  const { d = '', p = '', q = '', dp = '', dq = '', qi = '' } = key.export({ format: 'jwk' });
  const secrets = [d, p, q, dp, dq, qi]
    .filter((part) => part !== '')
    .map((part) => Buffer.from(part, 'base64url'));
  const lines = pem.split('\n').filter((line) => !line.includes('-----') && line !== '');
  const isSecret = (line: string) => sharesOctets(Buffer.from(line, 'base64'), secrets);
  const encoded = secrets.flatMap((secret) => [
    secret.toString('hex').slice(0, 48),
    secret.toString('base64').slice(0, 32),
    secret.toString('base64url').slice(0, 32),
    secret.toString('latin1').slice(0, 24),
  ]);
  const again = Buffer.from(pem).toString('base64');
  return [...lines.filter(isSecret), ...encoded, again.slice(80, 144)];
}
