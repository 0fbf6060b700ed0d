import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processIo } from '@certloop/cli/dist/src/io.js';
import { createProgram } from '@certloop/cli/dist/src/program.js';
import { describe, expect, test } from 'vitest';
import { makeCsr } from '../../../src/main-job.js';
import { asJson, certloop, certloopProcess, folder, inMonitor, stack } from './one-stack.js';

type Command = ReturnType<typeof createProgram>;

/** Tests of what is lost, and the command lines of the services, on the stack of the file that calls this. */
export function describeLoss(): void {
  describe('what is lost', () => {
    /** Command lines that lose something, in an order in which all can go on. */
    const losing: Readonly<Record<string, readonly string[]>> = {
      'certificates revoke': ['lost.example.test'],
      'targets delete': ['lost.example.test', '127.0.0.1'],
      'acme-clients rekey': ['lost', '-s', 'Lost'],
      'acme-clients delete': ['lost', '-s', 'Lost'],
      'fqdns delete': ['lost.example.test'],
      'spaces delete': ['Lost', '--with-fqdns'],
      'users update': ['lost', '--revoke-tokens'],
      'users delete': ['lost'],
      'groups delete': ['lost'],
      'providers delete': ['lost'],
      'checks delete': ['Lost'],
      'contexts delete': ['lost'],
    };
    /** Those that are only refused here: others need what they would lose, or each call costs a slow hash. */
    const refused: Readonly<Record<string, readonly string[]>> = {
      'audit clear': [],
      'sessions delete': ['any'],
      'renewals off': ['lost*'],
      'tokens delete': ['lost'],
      'integrations delete': ['Lost', '--project', 'Lost'],
      'projects revoke-key': ['CertLoop', 'read-write'],
      'projects create-key': ['CertLoop', 'read-write'],
      'projects delete': ['CertLoop'],
    };
    // they lose nothing that these command lines could name
    const elsewhere = [
      ...['renewals on', 'login', 'spaces policy', 'admin manager', 'admin monitor'],
      // it needs a machine that has a certificate
      'acme-clients release',
    ];

    const commandsWithYes = (command: Command, path: readonly string[] = []): string[] =>
      command.commands.flatMap((each) => {
        const name = [...path, each.name()];
        const own = each.options.some(({ long }) => long === '--yes') ? [name.join(' ')] : [];
        return [...own, ...commandsWithYes(each, name)];
      });

    const nounsWithCreate = (program: Command) =>
      program.commands
        .filter(({ commands }) =>
          commands.some((each) => [each.name(), ...each.aliases()].includes('create')),
        )
        .map((noun) => noun.name());

    test('is created once by --if-not-exists, is named, and is deleted only after yes or --yes', async () => {
      const program = createProgram([], processIo(), () => undefined);
      const { password } = stack.credentials.certManager;
      const csr = join(folder, 'lost.csr');
      const config = join(folder, 'lost.json');
      await writeFile(csr, await makeCsr('lost.example.test'));
      await writeFile(config, JSON.stringify((await asJson(['providers']))[0].config));
      const prepare: readonly (readonly string[])[] = [
        ['spaces', 'create', 'Lost'],
        ['issue', csr, '-s', 'Lost', '-p', 'dummy-ca', '--renew'],
        ['fqdns', 'create', 'lost2.example.test', '-s', 'Lost'],
        ['renewals', 'on', 'lost*'],
        ['csrs', 'create', 'lost.example.test', csr],
        ['targets', 'create', 'lost.example.test', '127.0.0.1', '--mode', 'report'],
        ['acme-clients', 'create', 'lost', '-s', 'Lost', '--suffix', 'lost.example.test'],
        ['tokens', 'create', 'lost'],
        ['groups', 'create', 'lost', '--permission', 'READ'],
        ['users', 'create', 'lost', '--email', 'lost@example.test', '--password-file', '-'],
        ['providers', 'create', 'lost', '--kind', 'dummy-ca', '--config', config],
        ['checks', 'create', 'Lost', '--no-assign'],
        ['projects', 'create', 'Lost'],
        [
          'integrations',
          'create',
          'Lost',
          '--project',
          'Lost',
          '--kind',
          'webhook',
          '--url',
          'https://a.example/',
        ],
        ['contexts', 'create', 'lost'],
      ];
      for (const args of prepare) {
        const { code, err } = await certloop(args, { input: `${password}\n` });
        expect({ args, code, err }).toMatchObject({ args, code: 0 });
      }
      const creations = prepare.filter(([, verb]) => verb === 'create');
      expect(creations.map(([noun]) => noun).sort()).toEqual(nounsWithCreate(program).sort());
      for (const args of creations) {
        const again = [...args, '--if-not-exists', '--exit-code', '-o', 'json'];
        const { code, out, err } = await certloop(again, { input: `${password}\n` });
        expect({ args, code, err }).toEqual({ args, code: 3, err: '' });
        expect(JSON.parse(out)).toEqual(expect.any(Object));
      }
      const all = { ...refused, ...losing };
      expect([...Object.keys(all), ...elsewhere].sort()).toEqual(commandsWithYes(program).sort());
      for (const [name, rest] of Object.entries(all)) {
        const args = [...name.split(' '), ...rest];
        const input = `${password}\n`;
        const piped = await certloop(args, { input });
        expect({ name, ...piped }).toMatchObject({
          name,
          code: 2,
          err: expect.stringMatching(/; add --yes to do it\n$/),
        });
        if (name in refused) continue;
        const declined = await certloop(args, { input, answer: 'n' });
        const asked = /Go on\? \[y\/N\] certloop: nothing was changed\n$/;
        expect({ name, ...declined }).toMatchObject({ name, code: 2, err: expect.stringMatching(asked) });
        const agreed = name.startsWith('p')
          ? await certloop([...args, '--yes'], { input })
          : await certloop(args, { input, answer: 'y' });
        expect({ name, ...agreed }).toMatchObject({ name, code: 0 });
      }
    });
  });

  test('deleting a space says what is lost, where it cannot ask', async () => {
    const remove = ['spaces', 'delete', 'Counted'];
    const loss = (sentence: string) => ({ code: 2, out: '', err: `certloop: ${sentence}\n` });
    await asJson(['spaces', 'create', 'Counted']);
    expect(await certloop(remove)).toEqual(
      loss('space Counted, which has no FQDNs, would be deleted; add --yes to do it'),
    );
    for (const name of ['a', 'b']) await asJson(['fqdns', 'add', `${name}.counted.test`, '-s', 'Counted']);
    expect(await certloop([...remove, '--yes'])).toEqual(
      loss(
        'space Counted has 2 FQDNs; add --with-fqdns to delete them too, with their CSRs and certificates',
      ),
    );
    expect(await certloop([...remove, '--with-fqdns'])).toEqual(
      loss(
        'space Counted would be deleted with its 2 FQDNs, their CSRs, certificates and checks; add --yes to do it',
      ),
    );
    expect((await certloop([...remove, '--with-fqdns', '--yes'])).code).toBe(0);
  });

  describe('the command lines of the services', () => {
    const ofMonitor = () => ({ env: stack.plan.environments['check-monitor'] });

    test('are reached by admin with the same words, options, output and exit codes', async () => {
      const words = ['project', 'list', '--json'];
      const listed = await certloopProcess(['admin', 'monitor', ...words], ofMonitor());
      expect(listed).toEqual({ code: 0, out: await inMonitor(...words), err: '' });
      const help = await certloopProcess(['admin', 'manager', '--help'], { env: {} });
      expect(help).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: cert-manager <command>/) });
      const revoke = ['admin', 'monitor', 'key', 'revoke', '--project', 'none', '--kind', 'ping'];
      expect(await certloop(revoke)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/add --yes to do it\n$/),
      });
      expect(await certloopProcess([...revoke, '--yes'], ofMonitor())).toEqual({
        code: 1,
        out: '',
        err: 'check-monitor: there is no project none\n',
      });
    });
  });
}
