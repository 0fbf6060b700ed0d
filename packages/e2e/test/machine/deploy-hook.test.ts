import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  currentSerial,
  type MachinePlace,
  type PulledName,
  runHere,
  startMachinePlace,
} from '../support/machine/machine-place.js';

let place: MachinePlace;
let name: PulledName;
let serial: string;
let lineage: string;
let log: string;

/** A certificate of the CA with its key, as files of certbot. */
beforeAll(async () => {
  place = await startMachinePlace();
  name = await place.addName();
  const dir = join(place.folder, 'pairs');
  const pull = ['pull', name.fqdn, '--once', '--dir', dir];
  await runHere([...pull, '--new-key'], { env: place.environment('READ_WRITE') });
  await place.sign(name);
  await runHere(pull, { env: place.environment('READ') });
  serial = await currentSerial(dir);
  lineage = join(place.folder, 'live');
  log = join(place.folder, 'reloads');
  await mkdir(lineage);
  for (const [from, to] of [
    ['fullchain.pem', 'fullchain.pem'],
    ['key.pem', 'privkey.pem'],
  ] as const)
    await writeFile(join(lineage, to), await readFile(join(dir, 'current', from), 'utf8'));
});
afterAll(() => place.close());
beforeEach(() => rm(log, { force: true }));

const ofCertbot = () => ({ RENEWED_LINEAGE: lineage, RENEWED_DOMAINS: `${name.fqdn}` });
const ofLego = () => ({
  LEGO_CERT_PATH: join(lineage, 'fullchain.pem'),
  LEGO_CERT_KEY_PATH: join(lineage, 'privkey.pem'),
  LEGO_CERT_DOMAIN: name.fqdn,
});
const reload = () => ['--reload', 'sh', '-c', `echo "$CERTLOOP_FQDN $CERTLOOP_SERIAL" >> ${log}`];
const deploy = (given: Readonly<Record<string, string>>, args: readonly string[]) =>
  runHere(['deploy-hook', ...args], { env: { PATH: process.env['PATH'] ?? '', ...given } });
const reloads = () => readFile(log, 'utf8').catch(() => '');

test.each([
  ['certbot', ofCertbot],
  ['lego', ofLego],
])('the files of %s are checked, and the server is tested and reloaded', async (_, given) => {
  const deployed = await deploy(given(), ['--test', 'true', ...reload()]);
  expect(deployed).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining(`serial ${serial} is in service`),
  });
  expect(await reloads()).toBe(`${name.fqdn} ${serial}\n`);
});

test('a failed test reloads nothing', async () => {
  const failed = await deploy(ofCertbot(), ['--test', 'sh', '-c', 'echo wrong >&2; exit 4', ...reload()]);
  expect(failed).toMatchObject({
    code: 1,
    err: expect.stringMatching(/wrong\n.*test failed .*: exit code 4/s),
  });
  expect(await reloads()).toBe('');
});

test.each([
  [['--reload', 'false'], 'reload failed (false): exit code 1'],
  [['--reload', '/nonexistent/program'], 'there is no program /nonexistent/program'],
  [['--verify', '127.0.0.1:9'], 'the server does not serve the certificate after 30 s'],
])('%j fails, and the files stay', async (args, sentence) => {
  const before = await readFile(join(lineage, 'fullchain.pem'), 'utf8');
  const failed = await deploy(ofLego(), args);
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining(sentence) });
  expect(await readFile(join(lineage, 'fullchain.pem'), 'utf8')).toBe(before);
});

test('a certificate that does not cover its names is not deployed', async () => {
  const failed = await deploy({ ...ofCertbot(), RENEWED_DOMAINS: `${name.fqdn} other.test` }, reload());
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('other.test is not covered') });
  expect(await reloads()).toBe('');
});

test('a key that does not fit is not deployed', async () => {
  const other = await place.addName();
  const dir = join(place.folder, 'other');
  const env = place.environment('READ_WRITE');
  await runHere(['pull', other.fqdn, '--once', '--dir', dir, '--new-key'], { env });
  const failed = await deploy({ ...ofLego(), LEGO_CERT_KEY_PATH: join(dir, 'pending/key.pem') }, reload());
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('the key is another one') });
  expect(await reloads()).toBe('');
});

test.each([{}, { RENEWED_DOMAINS: 'a.test' }, { LEGO_CERT_PATH: '/x' }])(
  'outside of a hook, with %j, it ends with 2',
  async (given) => {
    const refused = await deploy(given as Record<string, string>, reload());
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('run this as their deploy hook') });
  },
);
