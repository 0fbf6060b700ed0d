import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@certloop/contracts/testing';
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
import {
  hasServer,
  type RealServer,
  servedSerial,
  startHaproxy,
  startNginx,
} from '../support/machine/tls-servers.js';

describe('a machine without an ACME client', () => {
  let place: MachinePlace;
  beforeAll(async () => {
    place = await startMachinePlace();
  });
  afterAll(() => place.close());

  const pull = (name: PulledName, args: readonly string[], scope: 'READ' | 'READ_WRITE' = 'READ') =>
    runHere(['pull', name.fqdn, '--once', ...args], { env: place.environment(scope) });
  const checkName = ({ fqdn }: PulledName) => `certloop pull ${fqdn} on `;
  const alerts = (name: PulledName) =>
    place.services.alerts().filter((one) => one.startsWith(checkName(name)));

  describe.each([
    ['nginx', startNginx],
    ['haproxy', startHaproxy],
  ] as const)('with %s', (kind, start) => {
    const ifServer = hasServer(kind) ? test : test.skip;
    let name: PulledName;
    let dir: string;
    let options: string[];
    let server: RealServer | undefined;
    beforeAll(async () => {
      name = await place.addName();
      dir = join(place.folder, kind);
      const copy = join(place.folder, `${kind}-copy.pem`);
      // HAProxy reads the key beside the certificate
      const copies = ['--copy', `fullchain=${copy}`, '--copy', `key=${copy}.key`];
      options = ['--dir', dir, '--watch', ...(kind === 'haproxy' ? copies : [])];
    });
    afterAll(() => server?.stop());
    const files = () =>
      kind === 'haproxy'
        ? { certificate: join(place.folder, 'haproxy-copy.pem'), key: '' }
        : { certificate: join(dir, 'current/fullchain.pem'), key: join(dir, 'current/key.pem') };

    ifServer('gets a key, a CSR and its first certificate', async () => {
      const waiting = await pull(name, [...options, '--new-key'], 'READ_WRITE');
      expect(waiting).toMatchObject({ code: 0, err: expect.stringContaining('has no certificate yet') });
      expect(await place.csrKeys(name)).toEqual(await keysBelow(dir));
      // the timer runs the same command again
      await pull(name, [...options, '--new-key'], 'READ_WRITE');
      expect(await place.csrKeys(name)).toHaveLength(1);
      const first = await place.sign(name);
      const installed = await pull(name, [...options, '--new-key']);
      expect(installed).toMatchObject({ code: 0, err: '', out: expect.stringContaining('installed') });
      expect(await currentSerial(dir)).toBe(serialOf(first));
      server = await start({ folder: join(place.folder, `${kind}-config`), ...files() });
      expect(await servedSerial(server.port)).toBe(serialOf(first));
      options = [...options, ...server.hooks, '--verify', `127.0.0.1:${server.port}`];
    });

    ifServer('serves the renewed certificate', async () => {
      const renewed = await place.sign(name);
      expect(await pull(name, options)).toMatchObject({ code: 0, out: expect.stringContaining('installed') });
      expect(await servedSerial(server?.port ?? 0)).toBe(serialOf(renewed));
      const again = await pull(name, [...options, '--exit-code']);
      expect(again).toMatchObject({ code: 3, out: expect.stringContaining('is the newest') });
    });

    ifServer(
      'serves the earlier one when the server refuses its configuration, and its check fails',
      async () => {
        const earlier = await currentSerial(dir);
        const renewed = await place.sign(name);
        place.services.alerts();
        await server?.damage(true);
        const failed = await pull(name, options);
        expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('test failed') });
        expect(failed.err).toContain(`switched back to the certificate with serial ${earlier}`);
        expect(await currentSerial(dir)).toBe(earlier);
        expect(await servedSerial(server?.port ?? 0)).toBe(earlier);
        await place.services.tick();
        expect(alerts(name)).toEqual([expect.stringMatching(/ is down: .*: test failed \(.*switched back/s)]);
        await server?.damage(false);
        expect(await pull(name, options)).toMatchObject({ code: 0 });
        expect(await servedSerial(server?.port ?? 0)).toBe(serialOf(renewed));
        await place.services.tick();
        expect(alerts(name)).toEqual([expect.stringMatching(/ is up: .*is installed/s)]);
      },
    );
  });

  describe('with a server that does not take the certificate', () => {
    let name: PulledName;
    let dir: string;
    let log: string;
    beforeAll(async () => {
      name = await place.addName();
      dir = join(place.folder, 'stubborn');
      log = join(place.folder, 'reloads');
      await writeFile(log, '');
      await pull(name, ['--dir', dir, '--new-key'], 'READ_WRITE');
      await place.sign(name);
      expect((await pull(name, ['--dir', dir])).code).toBe(0);
    });
    const reload = (script: string) => [
      '--dir',
      dir,
      '--reload',
      'sh',
      '-c',
      `echo "$CERTLOOP_SERIAL" >> ${log}; ${script}`,
    ];
    const reloads = async () => (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');

    test('a failed reload is followed by a reload with the earlier one', async () => {
      const earlier = await currentSerial(dir);
      const renewed = serialOf(await place.sign(name));
      const failed = await pull(name, reload(`echo no reload >&2; test "$CERTLOOP_SERIAL" = ${earlier}`));
      expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('exit code 1') });
      expect(failed.err).toContain('no reload');
      expect(failed.err).toContain('and reloaded');
      expect(await reloads()).toEqual([renewed, earlier]);
      expect(await currentSerial(dir)).toBe(earlier);
    });

    test('one that is not served is taken back too', async () => {
      const earlier = await currentSerial(dir);
      const options = ['--dir', dir, '--verify', '127.0.0.1:9'];
      const failed = await pull(name, options);
      expect(failed).toMatchObject({
        code: 1,
        err: expect.stringMatching(/does not serve .*connection refused/),
      });
      expect(await currentSerial(dir)).toBe(earlier);
    });

    test('hooks see no credentials of certloop', async () => {
      const seen = join(place.folder, 'environment');
      await pull(name, ['--dir', dir, '--reload', 'sh', '-c', `env > ${seen}`]);
      const env = await readFile(seen, 'utf8');
      expect(env).toContain(`CERTLOOP_DIR=${dir}`);
      expect(env).toContain(`CERTLOOP_FQDN=${name.fqdn}`);
      expect(env).toMatch(/^CERTLOOP_NOT_AFTER=20\d\d-/m);
      expect(env).not.toMatch(/^CERTLOOP_(TOKEN|MONITOR_KEY)=/m);
    });
  });

  test('a process that stays installs each certificate as it is stored, and ends when it is asked to', async () => {
    const name = await place.addName();
    const dir = join(place.folder, 'staying');
    await pull(name, ['--dir', dir, '--new-key'], 'READ_WRITE');
    const first = serialOf(await place.sign(name));
    let end = () => {};
    const staying = runHere(['pull', name.fqdn, '--dir', dir], {
      env: place.environment('READ'),
      onSignal: (heard) => {
        end = () => heard('SIGTERM');
        return () => undefined;
      },
    });
    const installed = (serial: string) =>
      until(async () => (await currentSerial(dir).catch(() => undefined)) === serial);
    await installed(first);
    const locked = await pull(name, ['--dir', dir]);
    expect(locked).toMatchObject({ code: 2, err: expect.stringContaining('is locked by another certloop') });
    await installed(serialOf(await place.sign(name)));
    end();
    expect(await staying).toMatchObject({ code: 0, err: '' });
    expect((await staying).out.match(/installed/g)).toHaveLength(2);
  });

  describe('its check', () => {
    let name: PulledName;
    let options: string[];
    beforeAll(async () => {
      name = await place.addName();
      options = ['--dir', join(place.folder, 'watched'), '--watch'];
      await pull(name, [...options, '--new-key'], 'READ_WRITE');
      await place.sign(name);
      await pull(name, options);
      place.services.alerts();
    });

    test('goes down for a machine that is dead', async () => {
      await place.atHour(49, place.services.tick);
      expect(alerts(name)).toEqual([expect.stringMatching(/ is down: .*is installed/s)]);
    });

    test('stays up while the manager is away, and names that', async () => {
      await pull(name, options);
      await place.services.tick();
      expect(alerts(name)).toHaveLength(1);
      const env = { ...place.environment('READ'), CERTLOOP_URL: 'http://127.0.0.1:9' };
      const away = await runHere(['pull', name.fqdn, '--once', ...options], { env });
      expect(away).toMatchObject({ code: 1, err: expect.stringContaining('does not answer') });
      await place.services.tick();
      expect(alerts(name)).toEqual([]);
      const [check] = (await place.services.clients.monitor.listChecks()).body.checks.filter((one) =>
        one.name.startsWith(checkName(name)),
      );
      expect(check?.status).toBe('up');
    });

    test('goes down once the certificate ends while the manager is away', async () => {
      const ending = await place.addName();
      const dir = ['--dir', join(place.folder, 'ending'), '--watch'];
      await pull(ending, [...dir, '--new-key'], 'READ_WRITE');
      await place.signWithHoursLeft(ending, 4);
      expect(await pull(ending, dir)).toMatchObject({ code: 0 });
      place.services.alerts();
      const env = { ...place.environment('READ'), CERTLOOP_URL: 'http://127.0.0.1:9' };
      await runHere(['pull', ending.fqdn, '--once', ...dir], { env });
      await place.services.tick();
      expect(alerts(ending)).toEqual([
        expect.stringMatching(/ is down: .*cert-manager is away: .* is served and ends in \d+ days/s),
      ]);
    });
  });

  test.each([
    [['--key', '/nonexistent/key.pem'], '--key: /nonexistent/key.pem: there is no such file'],
    [[], 'there is no key here yet'],
    [['--key', 'a', '--new-key'], 'cannot be combined'],
    [['--copy', 'everything=/x'], 'It is key, cert, chain, fullchain and a file'],
    [['--mode', '644'], 'It would let every user read the key'],
    [['--owner', 'no-such-user'], '--owner: there is no user no-such-user'],
    [['--reload', 'systemctl reload nginx'], 'No shell reads it'],
    [['--verify', 'host:0'], 'not a number from 1 to 65535'],
    [['--verify', 'host:1/gopher'], 'gopher is not a protocol'],
  ])('%j is not understood', async (args, sentence) => {
    const name = { fqdn: 'x.example.test', spaceId: '', fqdnId: '' };
    const said = await pull(name, ['--dir', join(place.folder, 'usage'), ...args]);
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining(sentence) });
  });

  test('a certificate for a key that is not there is refused', async () => {
    const name = await place.addName();
    await pull(name, ['--dir', join(place.folder, 'one'), '--new-key'], 'READ_WRITE');
    await place.sign(name);
    const other = join(place.folder, 'other');
    await pull(await place.addName(), ['--dir', other, '--new-key'], 'READ_WRITE');
    const key = join(other, 'pending/key.pem');
    const refused = await pull(name, ['--dir', join(place.folder, 'two'), '--key', key]);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining('was issued for a key that is not in'),
    });
  });

  test('the named key is used where the certificate is for it', async () => {
    const name = await place.addName();
    const made = join(place.folder, 'made');
    await pull(name, ['--dir', made, '--new-key'], 'READ_WRITE');
    const key = join(place.folder, 'named.pem');
    await writeFile(key, await readFile(join(made, 'pending/key.pem'), 'utf8'));
    const certificate = await place.sign(name);
    const dir = join(place.folder, 'named');
    expect(await pull(name, ['--dir', dir, '--key', key, '--mode', '640'])).toMatchObject({
      code: 0,
      err: '',
    });
    expect(await currentSerial(dir)).toBe(serialOf(certificate));
  });

  test('a copy is never written through a link of another user', async () => {
    const name = await place.addName();
    const dir = join(place.folder, 'linked');
    const folder = join(place.folder, 'links');
    await mkdir(folder);
    await writeFile(join(folder, 'own'), 'old');
    await symlink(join(folder, 'own'), join(folder, 'link'));
    await pull(name, ['--dir', dir, '--new-key'], 'READ_WRITE');
    const { pem } = await place.sign(name);
    expect(await pull(name, ['--dir', dir, '--copy', `fullchain=${join(folder, 'link')}`])).toMatchObject({
      code: 0,
    });
    expect(await readFile(join(folder, 'own'), 'utf8')).toBe(pem);
  });
});
