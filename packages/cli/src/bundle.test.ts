import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { isBuiltin } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildCsr } from '@certloop/crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleExamples } from './reference/examples.js';

const execute = promisify(execFile);
const bundler = fileURLToPath(new URL('../../bundle.mjs', import.meta.url));
let folder: string;
let empty: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-bundle-'));
  empty = join(folder, 'empty');
  file = join(folder, 'certloop.mjs');
  await mkdir(empty);
  await execute(process.execPath, [bundler, '--dir', folder]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('is one file of at most 2 MB with its checksum and the licenses of what it holds', async () => {
  const bytes = await readFile(file);
  expect(bytes.length).toBeLessThan(2 * 1024 * 1024);
  expect((await stat(file)).mode & 0o777).toBe(0o755);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(await readFile(`${file}.sha256`, 'utf8')).toBe(`${sha256}  certloop.mjs\n`);
  expect(bytes.toString()).toMatch(/^commander [\d.]+ \(MIT\)\n.*\n*Copyright/m);
});

test('loads only modules of Node.js, and no native module', async () => {
  const code = await readFile(file, 'utf8');
  const loaded = [...code.matchAll(/\b(?:from|import|require\()\s*["']([\w@][\w:@./-]*)["']/g)].map(
    ([, name]) => name,
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((name) => !isBuiltin(name ?? ''))).toEqual([]);
  expect(code).not.toMatch(/\.node["'`]|\bdlopen\b|node-gyp|\bbindings\(/);
});

test('installs a command that runs in an empty folder with an empty environment', async () => {
  const bin = join(folder, "Anna's", 'bin');
  const outside = { cwd: empty, env: {} };
  const { stdout, stderr } = await execute(process.execPath, [file, 'install', '--dir', bin], outside);
  expect(stdout).toContain(`installed ${join(bin, 'certloop')}`);
  expect(stderr).toContain('is not in PATH');
  const { stdout: shown } = await execute(join(bin, 'certloop'), ['version', '--json'], outside);
  expect(JSON.parse(shown)).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.versions.node,
    file: join(bin, 'certloop.mjs'),
  });
  await expect(execute(join(bin, 'certloop'), ['run', 'x', '--', 'true'], outside)).resolves.toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('set CERTLOOP_MONITOR_URL'),
  });
});

test('lints a CSR in an empty environment', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const csr = join(folder, 'request.csr');
  await writeFile(csr, (await buildCsr({ privateKey, dnsNames: ['www.example.org'] })).pem);
  const outside = { cwd: empty, env: {} };
  const { stdout, stderr } = await execute(process.execPath, [file, 'lint', csr], outside);
  expect([stdout, stderr]).toEqual(['A CA would accept this CSR.\n', '']);
  const other = execute(process.execPath, [file, 'lint', csr, '--fqdn', 'a.example.org'], outside);
  await expect(other).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('openssl req -new') });
});

test('runs the examples of its help that need the file', async () => {
  const bin = join(folder, "Anna's", 'bin');
  const env = { HOME: join(folder, 'home'), PATH: `${bin}:/usr/bin:/bin` };
  for (const { line } of bundleExamples) await execute('/bin/sh', ['-c', line], { cwd: empty, env });
  const installed = join(folder, 'home', '.local', 'bin', 'certloop');
  expect((await execute(installed, ['--version'], { env })).stdout).toMatch(/^\d+\.\d+\.\d+/);
});

test('installs a page of the manual for each command, which groff reads without a warning', async () => {
  const section = join(folder, "Anna's", 'share/man/man1');
  const pages = await readdir(section);
  expect(pages).toEqual(expect.arrayContaining(['certloop.1', 'certloop-fqdns.1', 'certloop-issue.1']));
  expect((await stat(join(section, 'certloop.1'))).mode & 0o777).toBe(0o644);
  const overview = await readFile(join(section, 'certloop.1'), 'utf8');
  for (const page of pages.filter((name) => name !== 'certloop.1'))
    expect(overview).toContain(page.replace('.1', '(1)').replaceAll('-', '\\-'));
  const files = pages.map((page) => join(section, page));
  const formatted = await execute('groff', ['-man', '-ww', '-Tutf8', ...files]).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      process.stderr.write('groff is not installed: the pages of the manual are not formatted\n');
      return undefined;
    },
  );
  expect(formatted?.stderr ?? '').toBe('');
  if (formatted !== undefined) expect(formatted.stdout).toContain('CERTLOOP-FQDNS(1)');
});

test('runs from a crontab: without HOME, with a short PATH, and with a job that is reported', async () => {
  const seen: string[] = [];
  const monitor = createServer((request, response) => {
    seen.push(new URL(request.url ?? '', 'http://monitor').pathname);
    response.end('OK');
  }).listen(0, '127.0.0.1');
  await once(monitor, 'listening');
  try {
    const address = `http://127.0.0.1:${(monitor.address() as AddressInfo).port}/ping/one`;
    const command = join(folder, "Anna's", 'bin', 'certloop');
    const line = `"${command}" run ${address} -- sh -c 'echo copied'`;
    const cron = ['-i', 'PATH=/usr/bin:/bin', 'SHELL=/bin/sh', '/bin/sh', '-c', line];
    expect(await execute('/usr/bin/env', cron, { cwd: '/' })).toEqual({ stdout: 'copied\n', stderr: '' });
    expect(seen).toEqual(['/ping/one/start', '/ping/one/0']);
  } finally {
    monitor.close();
  }
});

test('administers a service only on a machine with its code', async () => {
  const admin = execute(process.execPath, [file, 'admin', 'manager', 'settings'], { cwd: empty, env: {} });
  await expect(admin).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /cert-manager is not installed here: .*certloop admin manager, or set CERTLOOP_HOME/,
    ),
  });
});

test('names a full disk behind standard output', async () => {
  const line = `"${process.execPath}" "${file}" completion bash >/dev/full`;
  await expect(execute('/bin/sh', ['-c', line], { env: {} })).rejects.toMatchObject({
    code: 1,
    stderr: 'certloop: standard output: the disk is full; make room\n',
  });
});

test('is not installed if it was modified', async () => {
  await writeFile(file, '\n', { flag: 'a' });
  const refused = execute(process.execPath, [file, 'install', '--dir', join(folder, 'other')], { env: {} });
  await expect(refused).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('differs from its'),
  });
});
