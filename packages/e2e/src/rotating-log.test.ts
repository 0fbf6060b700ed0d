import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeRotatingLog } from './rotating-log.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes the texts as chunks of one stream. */
async function writeAll(texts: readonly string[], file: string, maxBytes: number): Promise<void> {
  const stream = new PassThrough();
  const written = writeRotatingLog(stream, { service: 'shop', file, maxBytes });
  for (const text of texts) {
    stream.write(text);
    await new Promise(setImmediate);
  }
  stream.end();
  await written;
}

/** Returns the content of the files, the oldest first. */
async function contents(): Promise<string[]> {
  const names = (await readdir(folder)).sort().reverse();
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

test('stores the newest lines in at most five files, of which none is larger than the limit', async () => {
  const file = join(folder, 'shop.log');
  const lines = Array.from({ length: 60 }, (_, n) => `line ${String(n).padStart(3, '0')}\n`);
  for (const line of lines) await writeAll([line], file, 45);
  const stored = await contents();
  expect(stored).toHaveLength(5);
  expect(stored.join('')).toBe(lines.slice(-25).join(''));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('continues a file that exists, and a line that arrives in parts', async () => {
  const file = join(folder, 'shop.log');
  await writeFile(file, 'old\n');
  await writeAll(['on', 'e\ntw', 'o\nthree'], file, 1_000);
  expect(await contents()).toEqual(['old\none\ntwo\nthree\n']);
});

test('drops lines that it cannot write', async () => {
  const stream = new PassThrough();
  const missing = join(folder, 'missing');
  const written = writeRotatingLog(stream, { service: 'shop', file: join(missing, 'shop.log') });
  stream.end('one\ntwo\n');
  await written;
  expect(existsSync(missing)).toBe(false);
});

(existsSync('/dev/null') ? test : test.skip)('does not rotate a device', async () => {
  await writeAll(['one\n', 'two\n', 'three\n'], '/dev/null', 4);
  expect(existsSync('/dev/null.1')).toBe(false);
  expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
});
