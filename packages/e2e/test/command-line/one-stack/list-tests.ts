import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeCsr } from '../../../src/main-job.js';
import { asJson, certloop, folder, signIn, stack } from './one-stack.js';

/** Tests of lists and requests, on the stack of the file that calls this. */
export function describeList(): void {
  describe('lists and requests', () => {
    beforeAll(async () => {
      for (const name of ['Lists', 'Outlook']) await asJson(['spaces', 'create', name]);
      const [listed, outlook] = [join(folder, 'listed.csr'), join(folder, 'outlook.csr')];
      await writeFile(listed, await makeCsr('listed.example.test'));
      await writeFile(outlook, await makeCsr('outlook.example.test'));
      await asJson(['issue', listed, '-s', 'Lists', '-p', 'dummy-ca']);
      await asJson(['issue', outlook, '-s', 'Outlook', '-p', 'dummy-ca', '--renew']);
      await asJson(['fqdns', 'add', 'unfinished.example.test', '-s', 'Lists']);
    });

    test('FQDNs of all spaces are filtered, sorted and counted', async () => {
      const names = async (...options: string[]) =>
        (await certloop(['fqdns', 'list', '-o', 'name', ...options])).out.trim().split('\n');
      const all = await names('--sort', 'fqdn');
      expect(all).toEqual([...all].sort());
      expect(all.length).toBeGreaterThan(1);
      expect(await names('--sort', 'fqdn', '--limit', '2')).toEqual(all.slice(0, 2));
      expect(await names('--query', 'listed', '--space', 'Lists')).toEqual(['listed.example.test']);
      expect(await names('--state', 'unfinished', '--space', 'Lists')).toEqual(['unfinished.example.test']);
      expect(await names('--expires-within', '36h')).toEqual(['']);
      expect(await names('--provider', 'acme', '--renewal', 'on')).toEqual(['']);
      const counts = await asJson(['fqdns', 'count', '--space', 'Lists']);
      expect(counts).toMatchObject({ total: 2, unfinished: 1, valid: 1 });
      const wide = (await certloop(['fqdns', '--query', 'listed', '-o', 'wide'])).out;
      expect(wide).toMatch(/^FQDN .* REASON +ID\n/);
      expect(await asJson(['fqdns', 'outlook', '--space', 'Lists'])).toEqual([]);
      expect((await certloop(['fqdns', 'outlook', '--space', 'Outlook'])).out).toMatch(
        /^dummy-ca +\d+ d .* outlook\.example\.test /m,
      );
      const ready = await certloop(['readiness', '--space', 'Outlook', '--exit-code']);
      expect(ready).toMatchObject({ code: 0, out: 'none\n' });
      expect(ready.err).toMatch(/certificates of public CAs: 0 of 1; .* names renewed automatically: 1,/);
    });

    test('requests for certificates are listed for an FQDN or a space', async () => {
      const name = 'listed.example.test';
      expect(await asJson(['issuance-jobs', name])).toEqual([]);
      expect(await asJson(['issuance-jobs', '--space', 'Lists', '--status', 'failed'])).toEqual([]);
      const unknown = '00000000-0000-4000-8000-000000000000';
      for (const verb of ['get', 'continue'])
        expect(await certloop(['jobs', verb, unknown])).toMatchObject({ code: 1, out: '' });
      expect(await certloop(['issuance-jobs'])).toMatchObject({
        code: 2,
        err: 'certloop: name an FQDN, or a space with --space\n',
      });
      expect(await asJson(['fqdns', 'challenge-setup', name])).toMatchObject({ names: [name], waiting: [] });
    });

    test('names of both services complete the command line', async () => {
      const { username } = stack.credentials.certManager;
      await asJson(['checks', 'create', 'Completed', '--no-assign']);
      await asJson(['targets', 'create', 'listed.example.test', '127.0.0.1', '--mode', 'report']);
      const wanted: readonly (readonly [readonly string[], RegExp])[] = [
        [['spaces', 'get', 'Out'], /^Outlook\n$/],
        [['fqdns', 'get', 'unfin'], /^unfinished\.example\.test\tLists\n$/],
        [['fqdns', 'get', '--space', 'Outlook', ''], /^outlook\.example\.test\tOutlook\n$/],
        [['providers', 'get', 'dum'], /^dummy-ca\tdummy-ca\n$/],
        [['users', 'get', ''], /^\S+\t\S+@\S+$/m],
        [['targets', 'delete', 'listed.example.test', ''], /^127\.0\.0\.1:443\ttls\n$/],
        [
          ['certificates', 'get', 'listed.example.test', '--certificate', ''],
          /^[\da-f-]{36}\texpires [\d-]{10}\n$/,
        ],
        [['tokens', 'delete', ''], /^npm start\t\S+\n/],
        [['tokens', 'delete', '--user', username, ''], /^npm start\t\S+\n/],
        [['audit', 'list', '--action', 'fqdn.'], /^fqdn\.\*\nfqdn\.create\n/],
        [['audit', 'list', '--action=spac'], /^--action=space\.\*\n--action=space\.create\n/],
        [['checks', 'get', 'Compl'], /^Completed\tnew\n$/],
        [['projects', 'get', 'Cert'], /^CertLoop\towner$/m],
        [['integrations', 'create', 'x', '--kind', 'webh'], /^webhook\t\S+\n$/],
      ];
      for (const [words, found] of wanted)
        expect({ words, ...(await certloop(['complete-words', '--', ...words])) }).toEqual({
          words,
          code: 0,
          out: expect.stringMatching(found),
          err: '',
        });
    });

    test('tables fit 100 columns with the longest names', async () => {
      const longName = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(48)}.example.test`;
      const space = '証明書の名前 👩‍👩‍👧 '.repeat(6).trim();
      expect(longName).toHaveLength(253);
      await asJson(['spaces', 'create', space]);
      await asJson(['fqdns', 'add', longName, '-s', space]);
      await asJson(['targets', 'create', longName, '-s', space]);
      await asJson(['groups', 'create', space, '--permission', 'READ', '--space', space]);
      await asJson(['checks', 'create', space, '--no-assign']);
      const lists = [
        'spaces',
        'fqdns',
        'groups',
        'checks',
        'audit',
        `targets ${longName}`,
        'providers',
        'users',
      ];
      for (const list of lists) {
        const { code, out } = await certloop(list.split(' '), { columns: 100 });
        const shown = stripVTControlCharacters(out);
        expect({ list, code }).toEqual({ list, code: 0 });
        for (const line of shown.trimEnd().split('\n')) {
          // each of these takes two columns
          const width = line.replaceAll(/👩‍👩‍👧|\p{Lo}/gu, '[]').length;
          expect({ line, fits: width <= 100 }).toEqual({ line, fits: true });
        }
      }
      for (const args of [
        ['checks', 'delete', space],
        ['groups', 'delete', space],
        ['spaces', 'delete', space, '--with-fqdns'],
      ])
        expect((await certloop([...args, '--yes'])).code).toBe(0);
    });

    test('permissions are shown, and sessions are listed and ended with the password', async () => {
      const { url, username, password } = stack.credentials.certManager;
      expect((await certloop(['users', 'permissions'])).out).toMatch(/^administrator: yes$/m);
      expect(await asJson(['users', 'permissions', username])).toMatchObject({ isAdmin: true });
      const before = await signIn(url, username, password);
      const listed = await certloop(['sessions', '--json'], { input: `${password}\n` });
      const others = JSON.parse(listed.out).filter(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
      expect(others).toHaveLength(1);
      const completed = await certloop(['complete-words', '--', 'sessions', 'delete', '']);
      expect(completed).toMatchObject({ code: 0, out: `${others[0].id}\tsince ${others[0].createdAt}\n` });
      const ended = await certloop(['sessions', 'delete', others[0].id, '-y'], { input: `${password}\n` });
      expect(ended).toMatchObject({ code: 0, err: '' });
      expect((await fetch(`${url}/auth/me`, { headers: { cookie: before.cookie } })).status).toBe(401);
    });
  });
}
