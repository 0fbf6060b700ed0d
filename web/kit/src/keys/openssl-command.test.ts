import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyKinds, opensslCommand } from './openssl-command.js';

test('is one line that can be copied', () => {
  expect(opensslCommand('www.example.com', 'P-256', 'POSIX')).toBe(
    '(umask 077; openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes ' +
      '-keyout "www.example.com.key" -out "www.example.com.csr" ' +
      '-subj "/CN=www.example.com" -addext "subjectAltName=DNS:www.example.com")',
  );
  expect(opensslCommand('a.test', 'RSA 4096', 'PowerShell')).toMatch(/^openssl req -new -newkey rsa:4096 /);
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) process.stderr.write('SKIPPED: openssl is not there, so no command for it is run\n');
const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com`;

(hasOpenssl ? test : test.skip).each([
  ['www.example.com', 'P-256', 'www.example.com', 'DNS:www.example.com'],
  ['*.example.com', 'P-384', '_.example.com', 'DNS:*.example.com'],
  ['192.0.2.7', 'P-256', '192.0.2.7', 'IP Address:192.0.2.7'],
  ['2001:db8::7', 'P-256', '2001_db8__7', 'IP Address:2001:DB8:0:0:0:0:0:7'],
  [long, 'RSA 2048', long, `DNS:${long}`],
] as const)('makes a CSR for %s that names it', (name, key, file, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'certloop-openssl-'));
  try {
    execFileSync('sh', ['-c', opensslCommand(name, key, 'POSIX')], { cwd: folder, stdio: 'pipe' });
    const text = String(
      execFileSync('openssl', ['req', '-in', `${file}.csr`, '-noout', '-text', '-verify'], {
        cwd: folder,
        stdio: 'pipe',
      }),
    );
    expect(text).toContain(expected);
    expect(readFileSync(join(folder, `${file}.key`), 'utf8')).toContain('PRIVATE KEY');
    expect(statSync(join(folder, `${file}.key`)).mode & 0o077).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('has an option for each kind of key', () => {
  expect(new Set(keyKinds.map((key) => opensslCommand('a.test', key, 'POSIX'))).size).toBe(keyKinds.length);
});

test('uses valid file names, also for the longest name', () => {
  const name = `${'a'.repeat(62)}.`.repeat(4).slice(0, 253);
  const command = opensslCommand(name, 'P-256', 'POSIX');
  const files = [...command.matchAll(/-(?:keyout|out) "([^"]+)"/g)].map(([, file]) => file?.length);
  expect(files).toEqual([255, 255]);
  expect(command).toContain(`DNS:${name}"`);
});
