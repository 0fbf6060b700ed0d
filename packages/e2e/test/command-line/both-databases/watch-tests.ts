import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fqdn, WatchedServer } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { runCertloop } from '../../support/certloop.js';
import type { RunningStack } from '../../support/test-stack.js';
import { readSteps, wordsOf } from '../../support/walk-page.js';
import { speakers, type TlsServers } from './tls-servers.js';

const page = readFileSync(new URL('../../../../../../docs/watch-servers.md', import.meta.url), 'utf8');
const commands = readSteps(page).find(({ title }) => title === 'Three commands')?.commands ?? [];

const count = 50;

/** Describes `certloop watch` with real servers at addresses of 127.0.0.0/8. */
export function describeWatch(running: () => RunningStack, servers: () => TlsServers): void {
  const certloop = (args: readonly string[], input = '') => {
    const { url, token } = running().stack.credentials.certManager;
    return runCertloop(args, {
      env: { CERTLOOP_URL: url, CERTLOOP_TOKEN: token, HOME: '/nonexistent' },
      input,
    });
  };
  const asJson = async (args: readonly string[], input?: string) => {
    const { code, out, err } = await certloop([...args, '--json'], input);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  };
  const nameOf = (n: number) => `host-${n}.example.test`;
  const protocolOf = (n: number) => speakers[n % speakers.length] ?? 'tls';
  /** Each at an address of its own. */
  const lineOf = (n: number) =>
    `127.0.1.${n}:${servers().ports[protocolOf(n)]}/${protocolOf(n)} ${nameOf(n)}`;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const list = () => `# all of them\n\n${numbers.map(lineOf).join('\n')}\n`;
  const newestOf = async (name: string) => {
    const [found] = (await asJson(['fqdns', 'list', '--query', name])) as Fqdn[];
    return found?.status;
  };

  test('from nothing to 50 watched servers of six protocols, by the three commands of the page', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'certloop-watch-'));
    const home = process.cwd();
    process.chdir(folder);
    try {
      for (const n of numbers) await servers().certify(nameOf(n), 30 + n);
      await writeFile('servers.txt', list());
      const { url, username, password } = running().stack.credentials.certManager;
      expect(commands).toHaveLength(3);
      for (const command of commands) {
        const start = performance.now();
        const line = command.replace('https://certs.example.org', url).replace('anna', username);
        const env = { XDG_CONFIG_HOME: folder, HOME: folder };
        const { code, out, err } = await runCertloop(wordsOf(line).slice(1), { env, input: `${password}\n` });
        expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
        const seconds = (performance.now() - start) / 1000;
        process.stdout.write(`${command} took ${seconds.toFixed(1)} s\n`);
        if (command.includes(' watch ')) expect(out.match(/ watched /g)).toHaveLength(count);
      }
    } finally {
      process.chdir(home);
      await rm(folder, { recursive: true });
    }
  });

  test('shows all of them as renewed elsewhere', async () => {
    const watched: WatchedServer[] = await asJson(['watch', '--file', '-'], list());
    expect(watched.map(({ fqdn }) => fqdn)).toEqual(numbers.map(nameOf));
    for (const [index, one] of watched.entries()) {
      expect(one).toMatchObject({
        protocol: protocolOf(index + 1),
        ...{ isNewFqdn: false, isNewTarget: false, isNewCertificate: false, adopt: true },
        served: { issuer: 'CN=Watched CA', verified: true, dnsNames: [nameOf(index + 1)] },
      });
    }
    const [, ...lines] = (await certloop(['inventory', '-o', 'csv'])).out.trim().split('\r\n');
    expect(lines).toHaveLength(count);
    const listed: Fqdn[] = await asJson([
      'fqdns',
      'list',
      '--renewed-by',
      'elsewhere',
      '--issuer',
      'CN=Watched CA',
    ]);
    expect(listed).toHaveLength(count);
    expect(listed.find(({ fqdn }) => fqdn === nameOf(1))?.status).toMatchObject({
      renewedBy: 'elsewhere',
      protocols: ['smtp'],
      certificate: { source: 'served', chain: 'complete' },
    });
    expect((await certloop(['inventory'])).out).toMatch(/renewed by +elsewhere +50/);
  });

  test('adds nothing when the command is repeated', async () => {
    const { code, out } = await certloop(['watch', '--file', '-', '--exit-code'], list());
    expect(code).toBe(3);
    expect(out.match(/watched before/g)).toHaveLength(count);
    expect(await asJson(['fqdns', 'count'])).toMatchObject({ total: count });
  });

  test('looks from here with --from-here, and reports later adopt a renewal elsewhere', async () => {
    const name = 'inside.example.test';
    await servers().certify(name, 20);
    const line = `127.0.2.1:${servers().ports.imap}/imap`;
    const [watched] = await asJson(['watch', line, '--name', name, '--from-here']);
    expect(watched).toMatchObject({
      ...{ fqdn: name, adopt: true, isNewCertificate: true },
      served: { issuer: 'CN=Watched CA', verified: true },
      addresses: [{ class: 'current', observer: 'report' }],
    });
    const before = await newestOf(name);
    expect(before).toMatchObject({ renewedBy: 'elsewhere', certificate: { id: watched.certificateId } });
    await servers().certify(name, 80);
    expect(await certloop(['probe', '--report', name])).toMatchObject({
      code: 0,
      out: expect.stringContaining('current'),
    });
    const after = await newestOf(name);
    expect(after).toMatchObject({ state: 'valid', renewedBy: 'elsewhere' });
    expect(after?.certificate?.id).not.toBe(before?.certificate?.id);
    expect(Date.parse(after?.certificate?.expiresAt ?? '')).toBeGreaterThan(
      Date.parse(before?.certificate?.expiresAt ?? ''),
    );
  });
}
