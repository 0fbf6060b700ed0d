import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '@certloop/contracts/testing';
import { expect, test } from 'vitest';
import { createGuard } from '../src/guard.js';
import { probe } from '../src/probe.client.js';
import { createAuthority, pemOf } from './authority.js';

const guard = createGuard({ allowCidrs: ['127.0.0.0/8'] });
const hasSlapd = spawnSync('slapd', ['-VV']).status === 0;
if (!hasSlapd) process.stderr.write('SKIPPED: slapd is not there, so OpenLDAP is not probed\n');

(hasSlapd ? test : test.skip)('the certificate of OpenLDAP is read by STARTTLS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certloop-slapd-'));
  const authority = await createAuthority('LDAP');
  const leaf = await authority.issue();
  const port = await freePort();
  const files = {
    'cert.pem': pemOf(leaf.certificate, authority.intermediate),
    'key.pem': leaf.keyPem,
    'slapd.conf': ['TLSCertificateFile cert.pem', 'TLSCertificateKeyFile key.pem', 'pidfile pid', ''].join(
      '\n',
    ),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  // -d keeps it in the foreground
  const args = ['-d', '0', '-f', 'slapd.conf', '-h', `ldap://127.0.0.1:${port}`];
  const server = spawn('slapd', args, { cwd: folder, stdio: 'ignore' });
  const ended = once(server, 'exit');
  try {
    const target = { host: '127.0.0.1', port, protocol: 'ldap', sni: 'www.example.test' } as const;
    const found = await until(async () => {
      const looked = await probe(target, { guard });
      return !looked.some(isRefused) && looked;
    });
    expect(found).toMatchObject([
      { address: '127.0.0.1', observation: { served: [{ leaf: { der: leaf.certificate.der } }] } },
    ]);
  } finally {
    server.kill();
    await ended;
    await rm(folder, { recursive: true });
  }
});

const isRefused = ({ observation }: Awaited<ReturnType<typeof probe>>[number]) =>
  'stage' in observation && observation.stage === 'refused';
