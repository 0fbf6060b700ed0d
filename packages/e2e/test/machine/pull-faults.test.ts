import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { mountSmallDisk } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  currentSerial,
  keysBelow,
  type MachinePlace,
  type PulledName,
  runHere,
  serialOf,
  startMachinePlace,
} from '../support/machine/machine-place.js';
import { hasServer, type RealServer, servedSerial, startNginx } from '../support/machine/tls-servers.js';

/** Before each step by `npm run pull-faults`, otherwise before these. */
const atAll = process.env['CERTLOOP_PULL_STEPS'] === 'all';
const usualSteps: Readonly<Record<string, string>> = {
  kill: 'copy fullchain.pem',
  full: 'write fullchain.pem',
  readonly: 'switch current',
};
const tableFile = process.env['CERTLOOP_PULL_TABLE'];
const fixture = fileURLToPath(new URL('./pull-process.fixture.js', import.meta.url));
const ifNginx = hasServer('nginx') ? describe : describe.skip;

ifNginx('a fault before each step that writes', () => {
  let place: MachinePlace;
  let server: RealServer | undefined;
  beforeAll(async () => {
    place = await startMachinePlace();
  });
  afterAll(async () => {
    await server?.stop();
    await place.close();
  });

  /** Runs `certloop` as a process that has the fault before the step of this number. */
  async function runFaulty(args: readonly string[], fault: Readonly<Record<string, string>>) {
    const env = { ...place.environment('READ_WRITE'), ...fault };
    const child = spawn(process.execPath, [fixture, ...args], { env });
    const ended = once(child, 'exit');
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code, signal] = await ended;
    return { code, signal, said: out + err };
  }

  /** Runs `certloop` here; returns the steps that it took. */
  async function stepsOf(args: readonly string[]): Promise<string[]> {
    const steps: string[] = [];
    const env = place.environment('READ_WRITE');
    const { code, err } = await runHere(args, { env, atStep: (step) => steps.push(step) });
    expect(code, err).toBe(0);
    return steps;
  }

  const note = (fault: string, work: string, steps: number, mended: number) => {
    if (tableFile !== undefined)
      appendFileSync(tableFile, `| ${fault} | ${work} | ${steps} | ${mended} | 0 | 0 |\n`);
  };
  const chosen = (steps: readonly string[], usual: string) =>
    steps.flatMap((step, index) => (atAll || step === usual ? [{ step, number: index + 1 }] : []));

  /** No key of a CSR is missing, and there is at most one CSR for it. */
  async function requireKeys(name: PulledName, dir: string): Promise<void> {
    const csrKeys = await place.csrKeys(name);
    expect(csrKeys.length).toBeLessThanOrEqual(1);
    expect(await keysBelow(dir)).toEqual(expect.arrayContaining(csrKeys));
  }

  test('SIGKILL while a key is made loses no key and makes no second CSR', async () => {
    const begin = (name: PulledName, dir: string) => ['pull', name.fqdn, '--once', '--dir', dir, '--new-key'];
    const first = await place.addName();
    const steps = await stepsOf(begin(first, join(place.folder, 'steps')));
    expect(steps).toEqual(['write the new key', 'write the CSR', 'upload the CSR', 'note the upload']);
    let count = 0;
    for (const { number } of chosen(steps, 'note the upload')) {
      const name = await place.addName();
      const dir = join(place.folder, `key-${number}`);
      expect(await runFaulty(begin(name, dir), { AT_STEP: String(number), FAULT: 'kill' })).toMatchObject({
        signal: 'SIGKILL',
      });
      await requireKeys(name, dir);
      await runHere(begin(name, dir), { env: place.environment('READ_WRITE') });
      await requireKeys(name, dir);
      const certificate = await place.sign(name);
      expect((await runHere(begin(name, dir), { env: place.environment('READ') })).code).toBe(0);
      expect(await currentSerial(dir)).toBe(serialOf(certificate));
      count += 1;
    }
    note('SIGKILL', 'a new key', count, count);
  });

  describe('of a renewal', () => {
    let name: PulledName;
    let disk: ReturnType<typeof mountSmallDisk>;
    let dir: string;
    let pull: string[];
    let steps: string[];
    beforeAll(async () => {
      name = await place.addName();
      disk = mountSmallDisk(join(place.folder, 'disk'), 2);
      const folder = disk?.folder ?? join(place.folder, 'plain');
      dir = join(folder, 'pairs');
      await mkdir(folder, { recursive: true });
      const copies = [
        '--copy',
        `fullchain=${join(folder, 'copy.pem')}`,
        '--copy',
        `key=${join(folder, 'copy.key')}`,
      ];
      const base = ['pull', name.fqdn, '--once', '--dir', dir, ...copies];
      const env = place.environment('READ_WRITE');
      await runHere([...base, '--new-key'], { env });
      await place.sign(name);
      await runHere(base, { env });
      server = await startNginx({
        folder: join(place.folder, 'nginx'),
        certificate: join(folder, 'copy.pem'),
        key: join(folder, 'copy.key'),
      });
      pull = [...base, ...server.hooks, '--verify', `127.0.0.1:${server.port}`];
      await place.sign(name);
      steps = await stepsOf(pull);
    });
    afterAll(() => disk?.remove());

    test('takes these steps', () => {
      expect(steps).toEqual([
        'write the pair',
        'write key.pem',
        'write cert.pem',
        'write chain.pem',
        'write fullchain.pem',
        'write certloop.json',
        'name the pair',
        'switch current',
        'copy fullchain.pem',
        'test',
        'reload',
        'verify',
        'note that it is served',
      ]);
    });

    const mend: Readonly<Record<string, () => void>> = {
      kill: () => undefined,
      full: () => disk?.clear(),
      readonly: () => void spawnSync('mount', ['-o', 'remount,rw', disk?.folder ?? '']),
    };
    test.each([
      ['SIGKILL', 'kill'],
      ['a full disk', 'full'],
      ['a read-only folder', 'readonly'],
    ])('with %s, what is served fits its key, and the next run serves the newest', async (shown, fault) => {
      if (fault !== 'kill' && disk === undefined) return;
      let count = 0;
      for (const { number, step } of chosen(steps, usualSteps[fault] ?? '')) {
        const renewed = serialOf(await place.sign(name));
        const DISK = disk?.folder ?? '';
        const ended = await runFaulty(pull, { AT_STEP: String(number), FAULT: fault, DISK });
        if (fault === 'kill') expect(ended, step).toMatchObject({ signal: 'SIGKILL' });
        // a handshake takes the key that fits
        expect(await servedSerial(server?.port ?? 0), `served after ${step}`).toBeDefined();
        mend[fault]?.();
        await currentSerial(dir);
        await requireKeys(name, dir);
        const { code, err } = await runHere(pull, { env: place.environment('READ') });
        expect(code, `${step}: ${err}`).toBe(0);
        expect(await servedSerial(server?.port ?? 0), step).toBe(renewed);
        count += 1;
      }
      expect(count).toBeGreaterThan(0);
      note(shown, 'a renewal', count, count);
    });

    test('SIGKILL while it switches back leaves what fits, and the next run serves the newest', async () => {
      const flag = join(place.folder, 'reload-fails');
      const from = pull.indexOf('--reload');
      const nginx = pull.slice(from + 1, pull.indexOf('--verify')).join(' ');
      const script = `test ! -e ${flag} && exec ${nginx}`;
      const failing = [...pull.slice(0, from), '--reload', 'sh', '-c', script, ...pull.slice(-2)];
      const env = place.environment('READ');
      await place.sign(name);
      await writeFile(flag, '');
      const taken: string[] = [];
      expect((await runHere(failing, { env, atStep: (step) => taken.push(step) })).code).toBe(1);
      const begin = taken.indexOf('reload');
      expect(taken.slice(begin)).toEqual([
        'reload',
        'forget that it is served',
        'switch current',
        'copy fullchain.pem',
        'reload',
      ]);
      await rm(flag);
      let count = 0;
      for (const { number, step } of chosen(taken, 'forget that it is served')) {
        if (number <= begin) continue;
        await runHere(failing, { env });
        const renewed = serialOf(await place.sign(name));
        await writeFile(flag, '');
        const ended = await runFaulty(failing, { AT_STEP: String(number), FAULT: 'kill' });
        expect(ended, step).toMatchObject({ signal: 'SIGKILL' });
        expect(await servedSerial(server?.port ?? 0), `served after ${step}`).toBeDefined();
        await currentSerial(dir);
        await rm(flag);
        const { code, err } = await runHere(failing, { env });
        expect(code, `${step}: ${err}`).toBe(0);
        expect(await servedSerial(server?.port ?? 0), step).toBe(renewed);
        count += 1;
      }
      note('SIGKILL', 'switching back', count, count);
    });
  });
});
