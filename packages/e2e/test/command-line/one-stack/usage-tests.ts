import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeCsr } from '../../../src/main-job.js';
import { asJson, certloop, certloopProcess, folder, stack, startCertloop } from './one-stack.js';

/** Tests of wrong and unusual command lines, on the stack of the file that calls this. */
export function describeUsage(): void {
  test.each([
    [['nonsense'], "unknown command 'nonsense'"],
    [['issue', '--space', 'Shop'], "missing required argument 'csr'"],
    [['issue', 'a.csr'], "required option '-s, --space <space>' not specified"],
    [['spaces', '--request-timeout', '0'], '--request-timeout takes a whole number from 1 to 150 (seconds)'],
    [['issue', 'a.csr', '-s', 'Shop', '--deploy-hook', 'true'], '--deploy-hook needs --out-dir'],
    [['expiring', '--within', 'soon'], '--within takes a whole number from 0 to 36500'],
    [['checks', 'create', 'A', '--timeout', '60', '--schedule', '* * * * *'], 'cannot be combined'],
    [['checks', 'create', 'A', '--integrations', 'one', '--no-assign'], 'cannot be combined'],
  ])('%j is not understood', async (args, said) => {
    const { code, err } = await certloop(args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(said) });
  });

  test('no name at all names no check', async () => {
    for (const args of [
      ['ping', ''],
      ['checks', 'delete', ''],
      ['checks', 'create', ' '],
    ]) {
      expect(await certloop(args)).toMatchObject({
        code: 2,
        err: 'certloop: the name of the check is empty\n',
      });
    }
  });

  test('a name is found as people write it', async () => {
    await asJson(['spaces', 'create', 'Books']);
    await asJson(['fqdns', 'add', '*.bücher.example', '--space', 'Books']);
    const explained = await certloop(['fqdns', 'explain', '*.Bücher.example.']);
    expect(explained).toMatchObject({ code: 0, err: '' });
  });

  test('who reads no further ends nothing in a fault', async () => {
    const child = startCertloop(['spaces', '--json']);
    child.stdout.destroy();
    const ended = once(child, 'close');
    expect(await text(child.stderr)).toBe('');
    expect(await ended).toEqual([0, null]);
  });

  test('who does not answer is named with the address', async () => {
    const env = { CERTLOOP_URL: 'http://127.0.0.1:9', CERTLOOP_TOKEN: 'x' };
    const { code, err } = await certloop(['spaces'], { env });
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('cert-manager at http://127.0.0.1:9 does not answer'),
    });
  });

  test('an address of another service is named', async () => {
    const { certManager, checkMonitor } = stack.credentials;
    const env = { CERTLOOP_URL: checkMonitor.url, CERTLOOP_TOKEN: certManager.token };
    expect(await certloop(['spaces'], { env })).toMatchObject({
      code: 1,
      err: `certloop: the server at ${checkMonitor.url} answers /spaces with 404; check that this is the address of cert-manager\n`,
    });
  });

  test('a full disk is named with the file', async () => {
    const csr = join(folder, 'disk.csr');
    await writeFile(csr, await makeCsr('disk.example.test'));
    await asJson(['issue', csr, '--space', 'Books', '--provider', 'dummy-ca']);
    const save = ['certificates', 'save', 'disk.example.test'];
    const full = { code: 1, out: '', err: 'certloop: /dev/full: the disk is full; make room\n' };
    expect(await certloop([...save, '--out', '/dev/full'])).toEqual(full);
  });

  test('names what was not found', async () => {
    expect(await certloopProcess(['fqdns', 'explain', 'gone.example.test'])).toEqual({
      code: 1,
      out: '',
      err: 'certloop: there is no FQDN gone.example.test; certloop fqdns lists those that you may see\n',
    });
  });
}
