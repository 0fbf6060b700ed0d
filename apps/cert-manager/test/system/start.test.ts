import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type TestAddress, testDatabaseUrl } from '@certloop/db/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentAddress } from '../support/small-server.js';

let address: TestAddress;
beforeEach(async () => {
  address = await testDatabaseUrl('sqlite');
});
afterEach(() => address.drop());

function start(environment: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(new URL('../../service/main.js', import.meta.url))], {
    env: {
      PATH: process.env['PATH'] ?? '',
      CERT_MANAGER_PORT: '0',
      CERT_MANAGER_DATABASE_URL: address.url,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

async function failureOf(child: ChildProcess): Promise<{ code: number; stderr: string }> {
  const [stderr, [code]] = await Promise.all([
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { code, stderr };
}

test('serves until SIGTERM, then exits cleanly', async () => {
  const child = start();
  const failure = failureOf(child);
  await once(child, 'message');
  child.kill('SIGTERM');
  const { code, stderr } = await failure;
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^cert-manager: no administrator yet: create one .* with the token in \S+\/setup-token\n$/,
  );
});

test('reports all invalid settings at once', async () => {
  const { code, stderr } = await failureOf(start({ CERT_MANAGER_PORT: 'x', AUTH_MODE: 'off' }));
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^cert-manager: configuration is not usable:\n {2}CERT_MANAGER_PORT: .*\n {2}AUTH_MODE: .*\n$/,
  );
});

test('waits for migrations that another command runs', async () => {
  const { code, stderr } = await failureOf(start({ CERT_MANAGER_MIGRATE_AT_START: 'false' }));
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^cert-manager: the database has migrations to run \(0001-access, .*\): "cert-manager migrate" runs them\n$/,
  );
});

test('says in one line that its port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await failureOf(
    start({
      CERT_MANAGER_PORT: String(port),
      BOOTSTRAP_ADMIN_USERNAME: 'ada',
      BOOTSTRAP_ADMIN_EMAIL: 'ada@example.org',
      BOOTSTRAP_ADMIN_PASSWORD: 'correct horse',
    }),
  );
  other.close();
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `cert-manager: port ${port} on 127.0.0.1 is already in use\n`,
  });
});

test('opens no port while the one for https is taken, and says so in one line', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await failureOf(
    start({
      CERT_MANAGER_HTTPS_PORT: String(port),
      CERT_MANAGER_HTTPS_NAMES: 'localhost',
      DUMMY_CA_URL: await silentAddress(),
      BOOTSTRAP_ADMIN_USERNAME: 'ada',
      BOOTSTRAP_ADMIN_EMAIL: 'ada@example.org',
      BOOTSTRAP_ADMIN_PASSWORD: 'correct horse',
    }),
  );
  other.close();
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `cert-manager: port ${port} on 127.0.0.1 is already in use\n`,
  });
});

test('says in one line that a file for https cannot be read', async () => {
  const { code, stderr } = await failureOf(
    start({
      CERT_MANAGER_HTTPS_PORT: '0',
      TLS_CERT_FILE: '/dev/null/cert.pem',
      TLS_KEY_FILE: '/dev/null/key.pem',
      BOOTSTRAP_ADMIN_USERNAME: 'ada',
      BOOTSTRAP_ADMIN_EMAIL: 'ada@example.org',
      BOOTSTRAP_ADMIN_PASSWORD: 'correct horse',
    }),
  );
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'cert-manager: TLS_CERT_FILE (/dev/null/cert.pem): it cannot be read: ENOTDIR\n',
  });
});

test('says in one line that its database cannot be opened', async () => {
  const { code, stderr } = await failureOf(start({ CERT_MANAGER_DATABASE_URL: 'sqlite:/dev/null/x/y' }));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^cert-manager: cannot write the database .*\n$/);
});

test('says in one line that the administrator of the environment cannot be created', async () => {
  const { code, stderr } = await failureOf(
    start({
      BOOTSTRAP_ADMIN_USERNAME: 'ada',
      BOOTSTRAP_ADMIN_EMAIL: 'ada@example.org',
      BOOTSTRAP_ADMIN_PASSWORD: 'short',
    }),
  );
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'cert-manager: BOOTSTRAP_ADMIN: password: must have at least 8 characters\n',
  });
});
