import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../src/index.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'certloop-folder-'));
});
afterAll(() => rm(root, { recursive: true }));

describe('makeFolder', () => {
  test('creates missing folders, also for several callers at once', async () => {
    const folder = join(root, 'a', 'b', 'c');
    await Promise.all([makeFolder(folder), makeFolder(folder), makeFolder(folder)]);
    expect((await stat(folder)).isDirectory()).toBe(true);
  });

  test('refuses a path below a file', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(makeFolder(join(root, 'file', 'x'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux('ends with an error in a file system that makes no folders', async () => {
    await expect(makeFolder('/proc/certloop/x')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
