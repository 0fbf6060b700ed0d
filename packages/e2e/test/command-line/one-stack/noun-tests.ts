import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeCsr } from '../../../src/main-job.js';
import { asJson, certloop, folder, signIn, stack } from './one-stack.js';

/** Tests of the nouns, on the stack of the file that calls this. */
export function describeNoun(): void {
  describe('the nouns', () => {
    const code = async (args: readonly string[], input?: string) =>
      (await certloop(args, input === undefined ? {} : { input })).code;

    beforeAll(async () => {
      for (const name of ['Shop', 'Team']) await asJson(['spaces', 'create', name, '--if-not-exists']);
    });

    test('spaces are created once, changed and deleted', async () => {
      const create = ['spaces', 'create', 'Garden', '--if-not-exists', '--exit-code'];
      expect([await code(create), await code(create)]).toEqual([0, 3]);
      const twin = await certloop(['spaces', 'create', 'Garden']);
      expect(twin).toMatchObject({
        code: 2,
        err: expect.stringMatching(/a space Garden already exists .*--twin/),
      });
      await asJson(['spaces', 'update', 'Garden', '--name', 'Yard', '--watch', 'off']);
      expect(await asJson(['spaces', 'get', 'Yard'])).toMatchObject({
        level: 'FULL_ACCESS',
        watchEnabled: false,
      });
      expect(await certloop(['spaces', 'update', 'Yard'])).toMatchObject({ code: 2 });
      expect(await code(['spaces', 'delete', 'Yard', '--yes'])).toBe(0);
    });

    test('users and groups are created, changed and deleted', async () => {
      await asJson(['groups', 'create', 'readers', '--permission', 'READ', '--space', 'Team']);
      const twin = ['groups', 'create', 'readers', '--permission', 'READ'];
      expect(await certloop(twin)).toMatchObject({ code: 2, err: expect.stringContaining('with --twin') });
      expect(await code([...twin, '--if-not-exists', '--exit-code'])).toBe(3);
      const anna = ['users', 'create', 'anna', '--email', 'anna@example.test', '--group', 'readers'];
      expect(await code([...anna, '--password-file', '-'], 'seven blue teapots\n')).toBe(0);
      expect(await code([...anna, '--if-not-exists', '--exit-code'])).toBe(3);
      expect((await certloop(['groups', 'get', 'readers'])).out).toMatch(/^spaces: Team\nmembers: anna$/m);
      expect(await code(['groups', 'remove-member', 'readers', 'anna'])).toBe(0);
      expect(await asJson(['groups', 'get', 'readers'])).toMatchObject({ userIds: [] });
      await asJson(['groups', 'update', 'readers', '--permission', 'READ_WRITE', '--member', 'anna']);
      expect(await asJson(['users', 'update', 'anna', '--no-enabled'])).toMatchObject({ enabled: false });
      expect((await certloop(['users', '-o', 'name'])).out).toContain('anna\n');
      expect(await asJson(['tokens', 'list', '--user', 'anna'])).toEqual([]);
      const unconfirmed = await certloop(['users', 'delete', 'anna']);
      expect(unconfirmed).toMatchObject({ code: 2, err: expect.stringContaining('add --yes to do it') });
      expect(await code(['users', 'delete', 'anna', '--yes'])).toBe(0);
      expect(await code(['groups', 'delete', 'readers', '-y'])).toBe(0);
      const { out } = await certloop(['audit', '--limit', '1000', '-o', 'jsonpath=$[*].action']);
      expect(new Set(out.split('\n'))).toContain('user.delete');
      const exported = await certloop(['audit', 'export', '--action', 'user.delete']);
      expect(JSON.parse(exported.out)).toMatchObject({ action: 'user.delete' });
    });

    test('a new password of another user revokes their API tokens, but not with --keep-tokens', async () => {
      const { url } = stack.credentials.certManager;
      const create = ['users', 'create', 'bela', '--email', 'bela@example.test', '--password-file', '-'];
      expect(await code(create, 'seven blue teapots\n')).toBe(0);
      const { cookie, headers } = await signIn(url, 'bela', 'seven blue teapots');
      const made = await fetch(`${url}/api-tokens`, {
        method: 'POST',
        headers: { ...headers, cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'ci', scope: 'READ' }),
      });
      expect(made.status).toBe(201);
      const names = async () =>
        ((await asJson(['tokens', 'list', '--user', 'bela'])) as { name: string }[]).map(({ name }) => name);
      const update = ['users', 'update', 'bela', '--password-file', '-'];
      const both = await certloop([...update, '--keep-tokens', '--revoke-tokens'], { input: 'x\n' });
      expect(both).toMatchObject({ code: 2, err: expect.stringContaining('exclude each other') });
      expect(await code([...update, '--keep-tokens'], 'eight blue teapots\n')).toBe(0);
      expect(await names()).toEqual(['ci']);
      expect(await code(update, 'nine blue teapots\n')).toBe(0);
      expect(await names()).toEqual([]);
      expect(await code(['users', 'delete', 'bela', '--yes'])).toBe(0);
    });

    test('targets, CSRs and certificates of an FQDN are shown and changed', async () => {
      const name = 'nouns.example.test';
      const file = join(folder, 'nouns.csr');
      await writeFile(file, await makeCsr(name));
      const add = ['fqdns', 'create', name, '-s', 'Team', '--if-not-exists', '--exit-code'];
      expect([await code(add), await code(add)]).toEqual([0, 3]);
      const labels = ['--owner', 'Ada', '--add-tag', 'shop', 'prod'];
      expect(await asJson(['fqdns', 'update', name, ...labels])).toMatchObject({
        owner: 'Ada',
        tags: ['prod', 'shop'],
      });
      await asJson(['fqdns', 'update', name, '--no-owner', '--remove-tag', 'prod']);
      expect(await asJson(['fqdns', 'list', '--tag', 'shop'])).toMatchObject([
        { fqdn: name, tags: ['shop'] },
      ]);
      expect(await asJson(['fqdns', 'list', '--owner', 'ada'])).toEqual([]);
      expect(await asJson(['fqdns', 'get', name])).toMatchObject({ fqdn: name, level: expect.any(String) });
      expect(await asJson(['csrs', 'create', name, file, '--dry-run'])).not.toHaveProperty('id');
      await asJson(['csrs', 'create', name, file]);
      expect((await certloop(['csrs', 'get', name])).out).toBe(await readFile(file, 'utf8'));
      expect(await asJson(['csrs', name])).toHaveLength(1);
      await asJson([
        'targets',
        'create',
        name,
        '127.0.0.1',
        '--port',
        '9443',
        '--every',
        '1h',
        '--mode',
        'report',
      ]);
      await asJson(['targets', 'update', name, '127.0.0.1', '--no-enabled']);
      expect(await asJson(['targets', name])).toMatchObject([
        { port: 9443, everySeconds: 3600, enabled: false },
      ]);
      expect(await code(['targets', 'delete', name, '127.0.0.1', '--yes'])).toBe(0);
      await asJson(['issue', file, '-s', 'Team', '-p', 'dummy-ca']);
      expect((await certloop(['certificates', 'get', name])).out).toMatch(/^names: nouns\.example\.test$/m);
      const { serialNumber, sha256 } = await asJson(['certificates', 'get', name]);
      for (const digits of [serialNumber.toUpperCase(), `sha256 Fingerprint=${sha256}`])
        expect(await asJson(['certificates', 'find', digits])).toMatchObject([
          { fqdn: name, spaceName: 'Team', serialNumber },
        ]);
      expect(await certloop(['certificates', 'find', 'www.example.org'])).toMatchObject({
        code: 2,
        err: expect.stringContaining(
          'is neither a serial number in hex, nor a SHA-256 fingerprint, nor an id',
        ),
      });
      const saved = (await certloop(['certificates', 'save', name])).out;
      expect((await certloop(['certificates', 'download', name])).out).toBe(saved);
    });

    test('renewals are switched by patterns, and several off at once only when that is confirmed', async () => {
      for (const name of ['nouns.example.test', 'nodes.example.test'])
        await asJson(['fqdns', 'add', name, '-s', 'Team', '--if-not-exists']);
      const off = ['renewals', 'off', 'no*.example.test'];
      const on = ['renewals', 'on', 'no*.example.test', '--exit-code'];
      expect((await certloop([...on, '--dry-run'])).out.match(/would be on/g)).toHaveLength(2);
      expect(await certloop([...on, '-s', 'Shop'])).toMatchObject({
        code: 1,
        err: expect.stringContaining('no FQDN'),
      });
      expect([await code(on), await code(on)]).toEqual([0, 3]);
      expect(await certloop(off)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/2 FQDNs .*--dry-run/),
      });
      expect(await code([...off, '--yes'])).toBe(0);
    });

    test('checks are shown with their pings, flips and the output of the last run', async () => {
      const create = ['checks', 'create', 'Nightly', '--slug', 'nightly', '--timeout', '1d', '--grace', '2h'];
      expect(await asJson(create)).toMatchObject({ slug: 'nightly', timeout: 86_400, grace: 7_200 });
      expect(await code([...create, '--if-not-exists', '--exit-code'])).toBe(3);
      const job = ['run', 'nightly', '--', 'sh', '-c', 'echo copied; exit 1'];
      expect(await code(job)).toBe(1);
      expect((await certloop(['checks', 'output', 'nightly'])).out).toBe('copied\n');
      expect(
        (await asJson(['checks', 'pings', 'nightly'])).map(({ type }: { type: string }) => type),
      ).toEqual(['fail', 'start']);
      expect((await certloop(['checks', 'flips', 'nightly', '--within', '1d'])).out).toMatch(/ down$/m);
      expect(await asJson(['checks', 'update', 'nightly', '--grace', '3h'])).toMatchObject({ grace: 10_800 });
      expect((await certloop(['checks', 'get', 'nightly'])).out).toContain('grace: 10800');
      expect(await code(['checks', 'output', 'nightly', '--ping', '999'])).toBe(1);
      expect((await certloop(['pings', 'get', 'nightly', '--ping', '2'])).out).toBe('copied\n');
      expect((await certloop(['pings', 'nightly', '-o', 'jsonpath=$[*].n'])).out).toBe('2\n1\n');
      expect((await certloop(['flips', 'nightly', '-o', 'csv'])).out).toMatch(/^time,status\r?\n\S+,down/);
    });
  });
}
