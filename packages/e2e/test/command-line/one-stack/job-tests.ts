import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { credentialsFile } from '../../../src/credentials.js';
import { readCrontabs } from '../../support/crontabs.js';
import { asJson, certloop, certloopProcess, folder, startCertloop } from './one-stack.js';

/** Tests of monitored jobs, on the stack of the file that calls this. */
export function describeJob(): void {
  describe('a job', () => {
    test('is watched, and its exit code and the last of its output are reported', async () => {
      await asJson(['checks', 'create', 'Backup', '--timeout', '3600']);
      const job = 'process.stdout.write("half done"); process.exitCode = 3';
      const ended = await certloopProcess(['run', 'Backup', '--', process.execPath, '-e', job]);
      expect(ended).toEqual({ code: 3, out: 'half done', err: '' });
      const [check] = (await asJson(['checks'])).filter(({ name }: { name: string }) => name === 'Backup');
      expect(check).toMatchObject({ status: 'down', n_pings: 2, last_duration: expect.any(Number) });
      expect(await certloop(['ping', check.ping_url])).toMatchObject({ code: 0, out: 'pinged\n' });
    });

    test('passes its output on byte by byte', async () => {
      const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x0a]);
      const job = `process.stdout.write(Buffer.from('${bytes.toString('hex')}', 'hex'))`;
      const child = startCertloop(['run', 'Backup', '--', process.execPath, '-e', job]);
      expect(await buffer(child.stdout)).toEqual(bytes);
    });

    test('is ended with the command, and its end is reported', async () => {
      await asJson(['checks', 'create', 'Long']);
      const job = 'process.stdout.write(String(process.pid)); setInterval(() => undefined, 1000)';
      const child = startCertloop(['run', 'Long', '--', process.execPath, '-e', job]);
      const ended = once(child, 'close');
      const [pid] = await once(child.stdout, 'data');
      child.kill('SIGTERM');
      expect(await ended).toEqual([143, null]);
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
      const [check] = (await asJson(['checks'])).filter(({ name }: { name: string }) => name === 'Long');
      expect(check).toMatchObject({ status: 'down', n_pings: 2 });
    });

    test('that cannot be run is shown and reported', async () => {
      const ended = await certloopProcess(['run', 'Backup', '--', join(folder, 'nothing')]);
      expect(ended).toMatchObject({
        code: 127,
        err: expect.stringContaining('cannot be run: there is no such'),
      });
    });

    test('is reported from the crontabs of the docs, which have no other environment than that of cron', async () => {
      const bin = join(folder, 'bin');
      expect(await certloopProcess(['install', '--dir', bin, '--no-man'])).toMatchObject({ code: 0 });
      const backup = join(folder, 'backup');
      await writeFile(backup, '#!/bin/sh\necho copied by cron\n', { mode: 0o755 });
      const [check] = (await asJson(['checks'])).filter(({ name }: { name: string }) => name === 'Backup');
      const page = await readFile(new URL('../../../../../../docs/command-line.md', import.meta.url), 'utf8');
      const here = page
        .replaceAll('/usr/local/bin/certloop', join(bin, 'certloop'))
        .replaceAll('/usr/local/bin/backup', backup)
        .replaceAll(/https:\/\/checks\.example\.org\/ping\/\S+/g, check.ping_url)
        .replaceAll('/etc/certloop/credentials.json', credentialsFile(join(folder, 'data')));
      const crontabs = readCrontabs(here);
      expect(crontabs).toHaveLength(2);
      for (const { settings, command } of crontabs) {
        const env = { PATH: '/usr/bin:/bin', SHELL: '/bin/sh', ...settings };
        const ran = execFileSync('/bin/sh', ['-c', command], { env, cwd: '/', encoding: 'utf8' });
        expect(ran).toBe('copied by cron\n');
      }
      expect(await asJson(['checks', 'get', 'Backup'])).toMatchObject({
        status: 'up',
        n_pings: check.n_pings + 4,
      });
      expect((await certloop(['checks', 'output', 'Backup'])).out).toBe('copied by cron\n');
    });

    test('runs though the monitor cannot be reached', async () => {
      const env = { CERTLOOP_MONITOR_URL: 'http://127.0.0.1:9', CERTLOOP_MONITOR_KEY: 'x' };
      const ended = await certloop(['run', 'Backup', '--', process.execPath, '-e', '0'], { env });
      expect(ended).toMatchObject({ code: 0, err: expect.stringContaining('certloop: ') });
    });
  });
}
