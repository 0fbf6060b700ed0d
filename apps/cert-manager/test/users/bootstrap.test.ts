import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@certloop/db';
import { describeEachDialect, type OpenTestDatabase } from '@certloop/db/testing';
import { createLogger, createMovableClock, type MovableClock } from '@certloop/server';
import supertest from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CertManager, createApp } from '../../src/app.js';
import { auditLogs } from '../../src/audit/audit.repository.js';
import { readCertManagerConfig } from '../../src/config.js';
import { schema } from '../../src/database.js';
import { setupTokens } from '../../src/users/setup/setup-tokens.repository.js';
import { quickCost } from '../support/app.js';

const account = { username: 'first', email: 'first@example.org', password: 'correct horse' };

/** A service that never had an administrator. */
interface NewService {
  readonly app: CertManager;
  readonly request: ReturnType<typeof supertest>;
  readonly clock: MovableClock;
  readonly database: Database;
  readonly tokenFile: string;
  readonly announced: string[];
  readonly logged: string[];
}

describeEachDialect('the first administrator', (open) => {
  let folder: string;
  let service: NewService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certloop-setup-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function begin(
    openDatabase: OpenTestDatabase,
    environment: Readonly<Record<string, string>> = {},
    known?: Database,
  ): Promise<NewService> {
    const database = known ?? (await openDatabase(schema)).database;
    const tokenFile = join(folder, `token-${Math.random()}`);
    const config = readCertManagerConfig({ CERT_MANAGER_SETUP_TOKEN_FILE: tokenFile, ...environment });
    const logged: string[] = [];
    const destination = { write: (line: string) => void logged.push(line) };
    const logger = createLogger({ service: 'cert-manager', level: 'debug', destination });
    const clock = createMovableClock(new Date('2026-03-01T12:00:00.000Z'));
    const announced: string[] = [];
    const app = await createApp({
      config,
      database,
      logger,
      clock,
      passwordCost: quickCost,
      announce: (line) => void announced.push(line),
    });
    return { app, request: supertest(app.http), clock, database, tokenFile, announced, logged };
  }

  describe('by the setup token', () => {
    let token: string;
    beforeEach(async () => {
      service = await begin(open);
      token = (await readFile(service.tokenFile, 'utf8')).trim();
    });

    test('is written to a file that only the owner can read, which standard error and no log names', async () => {
      expect(token).toMatch(/^cms_[\w-]{22}$/);
      expect(service.announced).toEqual([expect.stringMatching(`with the token in ${service.tokenFile}$`)]);
      expect([...service.announced, ...service.logged].join('')).not.toContain('cms_');
      expect((await stat(service.tokenFile)).mode & 0o777).toBe(0o600);
    });

    test('is required by the setup state until then', async () => {
      const state = async () => (await service.request.get('/auth/state').expect(200)).body;
      expect(await state()).toEqual({ needsSetup: true, authMode: 'required', passwordMinLength: 8 });
      await service.request.post('/auth/bootstrap').send({ token, ...account });
      expect(await state()).toEqual({ needsSetup: false, authMode: 'required', passwordMinLength: 8 });
      const linked = { CHECK_MONITOR_PUBLIC_URL: 'https://monitor.example', PASSWORD_MIN_LENGTH: '12' };
      const other = await begin(open, linked, service.database);
      expect((await other.request.get('/auth/state')).body).toEqual({
        needsSetup: false,
        authMode: 'required',
        passwordMinLength: 12,
        monitorUrl: 'https://monitor.example',
      });
    });

    test('creates the administrator, who can sign in', async () => {
      const { status, body } = await service.request.post('/auth/bootstrap').send({ token, ...account });
      expect(status).toBe(201);
      expect(body).toMatchObject({ username: 'first', isAdmin: true, enabled: true });
      expect((await service.request.post('/auth/login').send(account)).status).toBe(200);
    });

    test('works once: then the token and its file are deleted', async () => {
      await service.request.post('/auth/bootstrap').send({ token, ...account });
      const again = { token, ...account, username: 'second', email: 'second@example.org' };
      expect((await service.request.post('/auth/bootstrap').send(again)).status).toBe(404);
      await expect(stat(service.tokenFile)).rejects.toThrow('ENOENT');
      const restarted = await begin(open, {}, service.database);
      expect(restarted.announced).toEqual([]);
      expect((await restarted.request.post('/auth/bootstrap').send(again)).status).toBe(404);
    });

    test('is rejected for any input once an administrator exists', async () => {
      expect((await service.request.post('/auth/bootstrap').send({})).status).toBe(400);
      await service.request.post('/auth/bootstrap').send({ token, ...account });
      expect((await service.request.post('/auth/bootstrap').send({})).status).toBe(404);
      expect((await service.request.post('/auth/bootstrap')).status).toBe(404);
    });

    test('creates one administrator for two concurrent calls', async () => {
      const names = ['one', 'two', 'three', 'four'];
      const answers = await Promise.all(
        names.map((username) =>
          service.request
            .post('/auth/bootstrap')
            .send({ token, ...account, username, email: `${username}@example.org` }),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404, 404, 404]);
    });

    test('is rejected with a wrong token', async () => {
      const { status, body } = await service.request
        .post('/auth/bootstrap')
        .send({ token: 'cms_AAAAAAAAAAAAAAAAAAAAAA', ...account });
      expect(status).toBe(401);
      expect(body.code).toBe('invalid_setup_token');
      const [entry] = await service.database.read((tx) => tx.findBy(auditLogs, { action: 'auth.fail' }));
      expect(entry).toMatchObject({ resourceType: 'token', details: { subject: 'setup token' } });
    });

    test('is rejected from an hour after the start until the next start', async () => {
      service.clock.advance(60 * 60_000);
      expect((await service.request.post('/auth/bootstrap').send({ token, ...account })).status).toBe(401);
      const restarted = await begin(open, {}, service.database);
      const renewed = (await readFile(restarted.tokenFile, 'utf8')).trim();
      expect(renewed).not.toBe(token);
      expect(
        (await restarted.request.post('/auth/bootstrap').send({ token: renewed, ...account })).status,
      ).toBe(201);
    });

    test.each(['the same', 'the other'])(
      'is accepted at %s of two replicas, which invalidates both tokens',
      async (at) => {
        const replica = await begin(open, {}, service.database);
        const other = (await readFile(replica.tokenFile, 'utf8')).trim();
        expect(other).not.toBe(token);
        const used = at === 'the same' ? other : token;
        const { status } = await replica.request.post('/auth/bootstrap').send({ token: used, ...account });
        expect(status).toBe(201);
        const again = { ...account, username: 'second', email: 'second@example.org' };
        for (const one of [service, replica]) {
          for (const text of [token, other]) {
            expect((await one.request.post('/auth/bootstrap').send({ token: text, ...again })).status).toBe(
              404,
            );
          }
        }
        expect(await service.database.read((tx) => tx.countBy(setupTokens, {}))).toBe(0);
      },
    );

    test('accepts the token from before a restart, for its hour', async () => {
      service.clock.advance(59 * 60_000);
      const restarted = await begin(open, {}, service.database);
      const late = await restarted.request.post('/auth/bootstrap').send({ token, ...account, password: 'x' });
      expect(late.status).toBe(400);
      restarted.clock.advance(60 * 60_000);
      expect((await restarted.request.post('/auth/bootstrap').send({ token, ...account })).status).toBe(401);
    });

    test('stores the token in no log, audit entry or table', async () => {
      await service.request.post('/auth/bootstrap').send({ token, ...account, password: 'x' });
      expect(await service.database.read((tx) => tx.countBy(setupTokens, {}))).toBe(1);
      await service.request.post('/auth/bootstrap').send({ token, ...account });
      const stored = await service.database.read(async (tx) => [
        await tx.find(setupTokens),
        await tx.find(auditLogs),
      ]);
      expect(service.logged.length).toBeGreaterThan(0);
      expect(`${service.logged.join('')}${JSON.stringify(stored)}`).not.toContain(token.slice(4));
    });

    test('keeps the token valid if the account is invalid', async () => {
      const weak = { token, ...account, password: 'short' };
      const { status, body } = await service.request.post('/auth/bootstrap').send(weak);
      expect(status).toBe(400);
      expect(body.errors).toEqual([
        { path: 'password', code: 'unsound_password', message: 'must have at least 8 characters' },
      ]);
      expect((await service.request.post('/auth/bootstrap').send({ token, ...account })).status).toBe(201);
    });

    test('delays callers who guess tokens', async () => {
      const guess = () => service.request.post('/auth/bootstrap').send({ ...account, token: 'cms_x' });
      for (let attempt = 0; attempt < 10; attempt += 1) expect((await guess()).status).toBe(401);
      const { status, headers } = await guess();
      expect(status).toBe(429);
      expect(headers['retry-after']).toBe('15');
    });
  });

  describe('by the environment', () => {
    const environment = {
      BOOTSTRAP_ADMIN_USERNAME: 'first',
      BOOTSTRAP_ADMIN_EMAIL: 'first@example.org',
      BOOTSTRAP_ADMIN_PASSWORD: 'correct horse',
    };

    test('is created at the first start, without a setup token', async () => {
      service = await begin(open, environment);
      expect(service.announced).toEqual([]);
      expect((await service.request.post('/auth/login').send(account)).body.user.isAdmin).toBe(true);
    });

    test('is unchanged at the next start', async () => {
      service = await begin(open, environment);
      await begin(open, { ...environment, BOOTSTRAP_ADMIN_PASSWORD: 'another one' }, service.database);
      expect((await service.request.post('/auth/login').send(account)).status).toBe(200);
    });

    test('stops the start when the password cannot be used', async () => {
      const start = begin(open, { ...environment, BOOTSTRAP_ADMIN_PASSWORD: 'first@example.org' });
      await expect(start).rejects.toThrow('password: must not be the user name or the e-mail address');
    });
  });
});
