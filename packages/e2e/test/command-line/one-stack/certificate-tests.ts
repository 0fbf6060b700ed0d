import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { hasProgram } from '@certloop/server/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeCsr } from '../../../src/main-job.js';
import { asJson, certloop, certloopProcess, folder, stack } from './one-stack.js';

const hasOpenssl = hasProgram('openssl', 'nothing is imported, and it judges no revocation', ['version']);
const ifOpenssl = hasOpenssl ? test : test.skip;

/** Tests of providers, certificates, imports and revocations, on the stack of the file that calls this. */
export function describeCertificate(): void {
  describe('providers', () => {
    test('are created, configured, switched, tested and deleted by their names', async () => {
      const [{ config }] = await asJson(['providers']);
      const file = join(folder, 'staging.json');
      await writeFile(file, JSON.stringify(config));
      const created = await asJson([
        'providers',
        'create',
        'staging',
        '--kind',
        'dummy-ca',
        '--config',
        file,
      ]);
      expect(created).toMatchObject({ name: 'staging', kind: 'dummy-ca', enabled: true, config });
      const brief = await certloopProcess(['providers', 'configure', 'staging', '--config', '-'], {
        input: JSON.stringify({ ...config, validityDays: 1 }),
      });
      expect(brief).toEqual({ code: 0, out: 'provider staging is configured\n', err: '' });
      for (const [command, state] of [
        ['disable', 'disabled'],
        ['enable', 'enabled'],
      ] as const) {
        const { out } = await certloop(['providers', command, 'staging']);
        expect(out).toBe(`provider staging is ${state}\n`);
      }
      expect((await certloop(['providers', 'test', 'staging'])).code).toBe(0);
      expect((await certloop(['providers', 'list'])).out).toMatch(/^staging +dummy-ca +staging +yes/m);
      const taken = await certloop([
        'providers',
        'create',
        'staging',
        '--kind',
        'dummy-ca',
        '--config',
        file,
      ]);
      expect(taken).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /name: another provider is named staging; to change it, .* or choose another name/,
        ),
      });
      expect((await certloop(['providers', 'delete', 'staging', '--yes'])).out).toBe(
        'provider staging is deleted\n',
      );
      const builtIn = await certloop(['providers', 'delete', 'acme', '-y']);
      expect(builtIn).toMatchObject({ code: 1, err: expect.stringMatching(/stays: disable it instead/) });
    });

    test('refuse a file that is not a configuration without a word of it', async () => {
      const args = ['providers', 'create', 'x', '--kind', 'acme', '--config', '-'];
      const { code, err } = await certloop(args, { input: '{"hmacKey": "secret' });
      expect({ code, err }).toEqual({ code: 2, err: 'certloop: --config: - is not a JSON object\n' });
    });
  });

  describe('certificates', () => {
    test('come from CSR files in one call, and one bad file does not stop the others', async () => {
      const good = join(folder, 'good.csr');
      await writeFile(good, await makeCsr('good.example.test'));
      await writeFile(join(folder, 'bad.csr'), 'no CSR');
      await asJson(['spaces', 'create', 'Shop']);
      const { code, out, err } = await certloopProcess([
        'issue',
        join(folder, 'bad.csr'),
        good,
        '--space',
        'Shop',
        '--provider',
        'dummy-ca',
        '--renew',
        '--out-dir',
        join(folder, 'out'),
        '--json',
      ]);
      expect({ code, err }).toEqual({ code: 1, err: 'certloop: 1 of 2 failed\n' });
      expect(JSON.parse(out)).toMatchObject([
        { success: false, message: expect.stringContaining('PEM') },
        { success: true, fqdn: 'good.example.test' },
      ]);
      const saved = await certloop(['certificates', 'save', 'good.example.test']);
      expect(await readFile(join(folder, 'out', 'good.example.test.pem'), 'utf8')).toBe(saved.out);
    });

    test('are not signed again while they fit the CSR and are not due', async () => {
      const file = join(folder, 'good.csr');
      const other = join(folder, 'other-key.csr');
      await writeFile(other, await makeCsr('good.example.test'));
      const needed = ['--space', 'Shop', '--provider', 'dummy-ca', '--if-needed', '--exit-code'];
      const again = await certloop(['issue', file, ...needed]);
      expect(again).toMatchObject({ code: 3, out: expect.stringMatching(/good\.example\.test +unchanged/) });
      const would = await certloop(['issue', other, ...needed, '--dry-run']);
      expect(would).toMatchObject({ code: 0, out: expect.stringContaining('would be issued') });
      expect(await asJson(['certificates', 'good.example.test'])).toHaveLength(1);
    });

    test('are handed to the deploy hook after a new file, without credentials', async () => {
      await asJson(['spaces', 'create', 'Hooked']);
      const csr = join(folder, 'hook.csr');
      await writeFile(csr, await makeCsr('hook.example.test'));
      const log = join(folder, 'hook.log');
      const issue = (hook: string, ...more: readonly string[]) => [
        'issue',
        csr,
        ...['--space', 'Hooked', '--provider', 'dummy-ca', '--out-dir', join(folder, 'hooked')],
        ...['--deploy-hook', hook, ...more],
      ];
      const file = join(folder, 'hooked', 'hook.example.test.pem');
      const hook = `cmp "$CERTLOOP_CERTIFICATE" '${file}'; echo "$CERTLOOP_FQDN \${CERTLOOP_TOKEN-none}" | tee -a '${log}'`;
      const { url, token } = stack.credentials.certManager;
      const run = (...args: Parameters<typeof issue>) =>
        certloopProcess(issue(...args), { env: { CERTLOOP_URL: url, CERTLOOP_TOKEN: token } });
      expect(await run(hook)).toMatchObject({ code: 0, err: 'hook.example.test none\n' });
      // the file is the same
      expect(await run(hook, '--if-needed')).toMatchObject({ code: 0, err: '' });
      expect(await readFile(log, 'utf8')).toBe('hook.example.test none\n');
      const failed = await certloopProcess(issue('echo no reload >&2; exit 3', '--json'));
      expect(failed).toMatchObject({ code: 1, err: 'no reload\ncertloop: 1 of 1 failed\n' });
      expect(JSON.parse(failed.out)).toMatchObject([
        {
          success: false,
          certificate: file,
          message: `${file} is written, but the deploy hook failed with exit code 3; the next run of this command runs it again`,
        },
      ]);
      // the file is the same, but the server may still have the former one
      expect(await run(hook, '--if-needed')).toMatchObject({ code: 0, err: 'hook.example.test none\n' });
      expect(await run(hook, '--if-needed')).toMatchObject({ code: 0, err: '' });
    });

    test('are listed for people', async () => {
      const { out } = await certloop(['fqdns', '--space', 'Shop']);
      expect(out).toMatch(
        /^FQDN +SPACE +STATE +EXPIRES +RENEWAL +RENEWED BY\ngood\.example\.test +Shop +valid +[\d-]{10} +on +certloop\n$/,
      );
      expect((await certloop(['expiring', '--within', '30', '--space', 'Shop'])).out).toBe('none\n');
      expect((await certloop(['expiring', '--within', '400'])).out).toContain('good.example.test');
      expect((await certloop(['renewals'])).out).toMatch(/good\.example\.test +\S+Z +pending +1/);
      expect((await certloop(['fqdns', 'explain', 'good.example.test'])).out).toContain('message: renews at');
    });

    test('expire as people accept, until a moment', async () => {
      const accept = ['fqdns', 'accept-expiry', 'good.example.test'];
      expect((await certloop(accept)).err).toContain('renewal is on for this FQDN; switch it off first');
      await certloop(['fqdns', 'renewal', 'good.example.test', 'off']);
      expect((await certloop([...accept, '--until', 'soon'])).err).toContain(
        '--until takes a moment such as 2026-12-31',
      );
      const until = new Date(Date.now() + 86_400_000).toISOString();
      expect(await asJson([...accept, '--until', until])).toMatchObject({ expiryAcceptedUntil: until });
      expect((await certloop(['fqdns', 'explain', 'good.example.test'])).out).toContain('watched: accepted');
      expect(await asJson([...accept, '--end'])).not.toHaveProperty('expiryAcceptedUntil');
      await certloop(['fqdns', 'renewal', 'good.example.test', 'on']);
    });
  });

  describe('an import', () => {
    beforeAll(() => asJson(['spaces', 'create', 'Imported']));

    ifOpenssl('stores a certificate from elsewhere once', async () => {
      const file = join(folder, 'foreign.pem');
      const names = 'subjectAltName=DNS:foreign.example.test';
      const end = ['-addext', 'basicConstraints=critical,CA:FALSE', '-days', '9', '-out', file];
      const key = [
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        join(folder, 'k'),
      ];
      await openssl('req', '-x509', ...key, '-subj', '/CN=foreign', '-addext', names, ...end);
      await asJson(['fqdns', 'add', 'foreign.example.test', '--space', 'Imported']);
      const args = ['certificates', 'import', 'foreign.example.test', file];
      expect(await asJson(args)).toMatchObject({ imported: true });
      expect((await certloop(args)).out).toContain('has already the certificate that expires');
      expect((await certloop(['expiring', '--within', '10'])).out).toContain('foreign.example.test');
    });

    ifOpenssl('reports that a signature could not be verified without its issuer', async () => {
      const [ca, caKey, file] = ['ca.pem', 'ca.key', 'alone.pem'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '9'];
      await openssl('req', '-x509', ...newKey, '-subj', '/CN=Foreign CA', '-keyout', caKey, '-out', ca);
      const leaf = ['-subj', '/CN=alone', '-addext', 'subjectAltName=DNS:alone.example.test'];
      const plain = ['-addext', 'basicConstraints=critical,CA:FALSE', '-keyout', join(folder, 'alone.key')];
      await openssl('req', '-x509', '-CA', ca, '-CAkey', caKey, ...newKey, ...leaf, ...plain, '-out', file);
      await asJson(['fqdns', 'add', 'alone.example.test', '--space', 'Imported']);
      const args = ['certificates', 'import', 'alone.example.test', file];
      const { code, out, err } = await certloop(args);
      expect({ code, err }).toEqual({
        code: 0,
        err: 'certloop: its signature could not be verified; import it with its intermediates to have it verified\n',
      });
      expect(out).toContain('imported the certificate that expires');
      expect(await asJson(args)).toMatchObject({ imported: true, unverified: true });
    });
  });

  describe('a revocation', () => {
    beforeAll(async () => {
      const csr = join(folder, 'revoked.csr');
      await writeFile(csr, await makeCsr('revoked.example.test'));
      await asJson(['spaces', 'create', 'Revoked']);
      const issue = ['issue', csr, '-s', 'Revoked', '-p', 'dummy-ca', '--renew'];
      await asJson([...issue, '--out-dir', join(folder, 'out')]);
    });

    ifOpenssl('is seen by OpenSSL in OCSP and in the list of the CA, and a renewal follows', async () => {
      const of = 'revoked.example.test';
      const leaf = join(folder, 'out', `${of}.pem`);
      const asked = await certloop(['certificates', 'revoke', of]);
      expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('add --yes') });
      const ca = stack.plan.urls['dummy-ca'];
      const root = join(folder, 'root.pem');
      const list = join(folder, 'root.crl');
      await writeFile(root, await (await fetch(`${ca}/root`)).text());
      const ocsp = () =>
        openssl('ocsp', '-issuer', root, '-CAfile', root, '-cert', leaf, '-url', `${ca}/ocsp`);
      expect(await ocsp()).toContain(`${leaf}: good`);
      const revoked = await asJson(['certificates', 'revoke', of, '--reason', 'superseded', '--yes']);
      expect(revoked).toMatchObject({ revocationReason: 'superseded', revokedAt: expect.any(String) });
      expect(await ocsp()).toMatch(/: revoked\s[\s\S]*Reason: superseded/);
      await writeFile(list, Buffer.from(await (await fetch(`${ca}/crls/root`)).arrayBuffer()));
      await openssl('crl', '-inform', 'DER', '-in', list, '-out', list);
      expect(await openssl('verify', '-crl_check', '-CRLfile', list, '-CAfile', root, leaf)).toContain(
        'certificate revoked',
      );
      expect((await certloop(['certificates', 'list', of])).out).toContain('REVOKED');
      const again = await certloop(['certificates', 'revoke', of, '--certificate', revoked.id, '--yes']);
      expect(again).toMatchObject({ code: 1, err: expect.stringContaining('was revoked at') });
      for (let left = 100; (await asJson(['certificates', 'list', of])).length < 2 && left > 0; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      const [, renewed] = await asJson(['certificates', 'list', of]);
      await writeFile(leaf, renewed.pem);
      expect(await ocsp()).toContain(`${leaf}: good`);
    });
  });
}

/** What OpenSSL says, whatever its exit code. */
async function openssl(...args: readonly string[]): Promise<string> {
  const child = spawn('openssl', args);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + err;
}
