import { createPrivateKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { type ServiceProcess, startService } from '../../src/service-process.js';
import { freePort } from '../../src/stack-ports.js';
import { runCertloop } from '../support/certloop.js';

const hmacKey = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';

let folder: string;
let http: string;
let https: string;
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-acme-'));
  const [port, securePort] = [await freePort(), await freePort()];
  http = `http://127.0.0.1:${port}`;
  https = `https://localhost:${securePort}/acme/directory`;
  service = startService({
    app: 'dummy-ca',
    environment: {
      ...inheritedEnvironment(),
      DUMMY_CA_PORT: String(port),
      DUMMY_CA_HTTPS_PORT: String(securePort),
      DUMMY_CA_EAB: `kid-1:${hmacKey}`,
      DUMMY_CA_EAB_REQUIRED: 'true',
    },
    healthUrl: `${http}/health`,
    logFile: join(folder, 'dummy-ca.log'),
  });
  await service.ready;
  await writeFile(at('root.pem'), await (await fetch(`${http}/root`)).text());
  await writeFile(at('key'), `${hmacKey}\n`);
  await writeFile(at('wrong'), 'AAAA\n');
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const at = (file: string) => join(folder, file);
const certloop = (...args: readonly string[]) =>
  runCertloop(['acme-clients', ...args], { env: { HOME: folder } });
const trusting = () => ['--directory', https, '--ca', at('root.pem')];
const byKey = () => ['--kid', 'kid-1', '--hmac-key-file', at('key')];

describe('certloop acme-clients register', () => {
  test('registers an account, and writes its key for the owner alone', async () => {
    const { code, out } = await certloop(
      'register',
      ...trusting(),
      ...byKey(),
      '--key-file',
      at('account.key'),
    );
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^registered https:\/\/localhost:\d+\/acme\/\S+; /),
    ]);
    expect((await stat(at('account.key'))).mode & 0o777).toBe(0o600);
    const key = createPrivateKey(await readFile(at('account.key'), 'utf8'));
    expect(key.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  });

  test('overwrites no file', async () => {
    await writeFile(at('there.key'), 'a key of another account');
    const { code, err } = await certloop(
      'register',
      ...trusting(),
      ...byKey(),
      '--key-file',
      at('there.key'),
    );
    expect([code, err]).toEqual([2, expect.stringContaining('there.key already exists')]);
    expect(await readFile(at('there.key'), 'utf8')).toBe('a key of another account');
  });

  test('leaves no key of an account that was refused, and says why in the words of the server', async () => {
    const wrong = ['--kid', 'kid-1', '--hmac-key-file', at('wrong'), '--key-file', at('refused.key')];
    const { code, err } = await certloop('register', ...trusting(), ...wrong);
    expect([code, err]).toEqual([1, expect.stringContaining('the server did not register the account: ')]);
    expect(existsSync(at('refused.key'))).toBe(false);
  });

  test('needs a key, and a place for that of the account', async () => {
    expect(await certloop('register', ...trusting(), '--key-file', at('none.key'))).toMatchObject({
      code: 2,
      err: 'certloop: name the file of the key by --hmac-key-file\n',
    });
    expect(existsSync(at('none.key'))).toBe(false);
  });
});

describe('certloop acme-clients test', () => {
  const resultsOf = (out: string) =>
    (JSON.parse(out) as { part: string; result: string; detail: string }[]).map(
      ({ part, result, detail }) => [part, result, detail] as const,
    );

  test('passes trust, directory, clock and a name that is refused', async () => {
    const { code, out } = await certloop(
      ...['test', ...trusting(), ...byKey(), '--refused-name', 'not a name', '-o', 'json'],
    );
    expect(resultsOf(out)).toEqual([
      ['trust', 'ok', expect.stringContaining('root.pem, until ')],
      ['directory', 'ok', https],
      ['clock', 'ok', 'within 60 s of the server'],
      ['refused name', 'ok', expect.stringContaining('not a name')],
    ]);
    expect(code).toBe(0);
  });

  test('fails if a name is accepted that should be refused', async () => {
    const { code, out } = await certloop('test', ...trusting(), ...byKey(), '-o', 'json');
    expect(resultsOf(out).at(-1)).toEqual([
      'refused name',
      'failed',
      'the server accepts an order for refused.certloop.invalid: limit the names of the client',
    ]);
    expect(code).toBe(1);
  });

  test('fails if the server is not trusted, and names what to do', async () => {
    const { code, out, err } = await certloop('test', '--directory', https, '-o', 'json');
    expect(err).toContain('trust: its certificate is not trusted here: name a file with the root by --ca');
    expect(resultsOf(out)[0]).toEqual([
      'trust',
      'failed',
      'its certificate is not trusted here: name a file with the root by --ca',
    ]);
    expect(code).toBe(1);
  });

  test('orders nothing without a key, and warns of http', async () => {
    const { code, out } = await certloop('test', '--directory', `${http}/acme/directory`, '-o', 'json');
    expect(resultsOf(out).map(([part, result]) => [part, result])).toEqual([
      ['trust', 'skipped'],
      ['directory', 'ok'],
      ['clock', 'ok'],
      ['refused name', 'skipped'],
    ]);
    expect(code).toBe(0);
  });

  test('says that an address is no directory', async () => {
    const { code, out } = await certloop('test', '--directory', `${http}/health`, '-o', 'json');
    expect(resultsOf(out)[0]).toEqual([
      'directory',
      'failed',
      `${http}/health is not the directory of an ACME server: it responds with status 200 and without newNonce`,
    ]);
    expect(code).toBe(1);
  });
});
