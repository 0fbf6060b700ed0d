import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acmeSetup } from '@certloop/contracts/browser';
import { until } from '@certloop/contracts/testing';
import { hasProgram } from '@certloop/server/testing';
import { expect } from 'vitest';
import { freePort } from '../../../src/stack-ports.js';
import type { FrontPlace } from './front-place.js';
import { canMount, programsOfToday, startMachine, today } from './machine.js';
import { awaitServed } from './served-chain.js';
import { runSteps, shellTools } from './shell-tools.js';
import type { Story } from './story.js';

const consequence = 'it serves no certificate of cert-manager';

/** Servers that get their certificates themselves, or are reloaded by the hook of a client. */
export const serverTools: readonly Story[] = [
  {
    label: 'Caddy of today',
    shows: 'orders, renews by renewal information',
    isThere: canMount && hasProgram(join(today, 'usr/bin/caddy'), consequence, ['version']),
    play: playCaddy,
  },
  {
    label: 'Apache with mod_md',
    shows: 'orders, renews by its own date',
    isThere:
      canMount &&
      hasProgram('apache2', consequence, ['-v']) &&
      existsSync('/usr/lib/apache2/modules/mod_md.so'),
    needsBackdate: true,
    play: playModMd,
  },
  {
    label: 'nginx with certbot',
    shows: 'is reloaded by the deploy hook, as a probe of cert-manager sees',
    isThere: canMount && hasProgram('nginx', consequence, ['-v']) && shellTools[0]?.isThere === true,
    play: playNginx,
  },
];

async function playCaddy(place: FrontPlace): Promise<void> {
  const machine = await startMachine(programsOfToday());
  try {
    const facts = await place.addClient('caddy.test');
    const [name = ''] = facts.names;
    const [http, port] = [await freePort(), await freePort()];
    const ports = `{\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port ${http}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n\tskip_install_trust\n\trenew_interval 500ms\n`;
    const [step] = acmeSetup('caddy', facts).steps;
    writeFileSync(machine.at('/etc/Caddyfile'), `${step?.text.replace('{\n', ports)}\n`);
    const start = () => machine.start('caddy run --config /etc/Caddyfile --adapter caddyfile');
    const server = start();
    const first = await awaitServed(place, machine, { port, name });
    await place.wantRenewed(name);
    server.kill('SIGTERM');
    await once(server, 'close');
    // it asks for renewal information again once the Retry-After is over, which is stored in this file
    const [file = ''] = (await machine.run('find /root -name "*.json" -path "*certificates*"'))
      .trim()
      .split('\n');
    const stored = JSON.parse(readFileSync(machine.at(file), 'utf8'));
    expect(Date.parse(stored.issuer_data.renewal_info._retryAfter)).toBeGreaterThan(Date.now());
    stored.issuer_data.renewal_info._retryAfter = new Date(0).toISOString();
    writeFileSync(machine.at(file), JSON.stringify(stored));
    start();
    const second = await awaitServed(place, machine, { port, name }, first.id);
    expect(second.id).not.toBe(first.id);
  } finally {
    await machine.stop();
  }
}

async function playModMd(place: FrontPlace): Promise<void> {
  const machine = await startMachine();
  try {
    // it calls the server as a user who may not read the folder of the stack
    const root = '/etc/ssl/certloop-root.pem';
    copyFileSync(place.rootFile, machine.at(root));
    const facts = { ...(await place.addClient('apache.test')), rootFile: root };
    const [name = ''] = facts.names;
    const [http, port] = [await freePort(), await freePort()];
    const [store, configuration] = acmeSetup('mod_md', facts).steps;
    // almost the whole validity is its last month, so that it renews at once by its own rule
    const text = configuration?.text
      .replaceAll('*:443', `*:${port}`)
      // as behind a router that forwards ports 80 and 443
      .replace(
        'MDPrivateKeys',
        `MDPortMap http:${http} https:${port}\nMDRenewWindow 99%\nMDRenewViaARI off\nMDPrivateKeys`,
      );
    writeFileSync(
      machine.at('/etc/apache2/ports.conf'),
      `Listen 127.0.0.1:${http}\nListen 127.0.0.1:${port}\nServerName ${name}\n`,
    );
    writeFileSync(machine.at('/etc/apache2/conf-available/certloop.conf'), `${text}\n`);
    await machine.run(
      `${store?.text}\na2dissite -q 000-default\na2enmod -q md ssl\na2enconf -q certloop\napachectl start > /run/apache.log 2>&1 || (cat /run/apache.log; exit 1)`,
    );
    const graceful = () => machine.run('apachectl graceful > /run/apache.log 2>&1');
    const staged = () => machine.run('ls /etc/apache2/md/staging/*/pubcert*.pem').catch(() => '');
    await until(async () => (await staged()) !== '');
    await graceful();
    const first = await awaitServed(place, machine, { port, name });
    await until(async () => (await staged()) !== '');
    await graceful();
    const second = await awaitServed(place, machine, { port, name }, first.id);
    expect(second.id).not.toBe(first.id);
  } finally {
    await machine.run('apachectl stop').catch(() => '');
    await machine.stop();
  }
}

const nginxConfiguration = `events {}
http {
  access_log off;
  include /etc/nginx/certloop.d/*.conf;
}
`;

async function playNginx(place: FrontPlace): Promise<void> {
  const machine = await startMachine();
  const { manager } = place.running.clients;
  try {
    const facts = { ...(await place.addClient('nginx.test')), reload: 'nginx -s reload' };
    const [name = ''] = facts.names;
    const { probedPort: port } = place;
    await machine.run('mkdir /etc/nginx/certloop.d');
    writeFileSync(machine.at('/etc/nginx/nginx.conf'), nginxConfiguration);
    // a daemon would hold the streams of this line
    await machine.run('nginx > /run/nginx.log 2>&1');
    await runSteps(machine, 'certbot', facts);
    const live = `/etc/letsencrypt/live/${name}`;
    const site = `server { listen 127.0.0.1:${port} ssl; server_name ${name};
      ssl_certificate ${live}/fullchain.pem; ssl_certificate_key ${live}/privkey.pem; }\n`;
    writeFileSync(machine.at('/etc/nginx/certloop.d/site.conf'), site);
    await machine.run('nginx -t && nginx -s reload');
    const first = await awaitServed(place, machine, { port, name });
    const params = await place.placeOf(name);
    const body = { host: '127.0.0.1', port, sni: name };
    const { id: targetId } = (await manager.createTarget({ params, body })).body;
    const classOf = async () => {
      await manager.probeTarget({ params: { ...params, targetId } });
      return (await manager.getServed({ params })).body;
    };
    expect(await classOf()).toMatchObject({ class: 'current', expected: { certificateId: first.id } });

    // the timer of certbot, whose hook reloads nginx
    await machine.run(shellTools[0]?.renew ?? '');
    const second = await awaitServed(place, machine, { port, name }, first.id);
    // a worker of before the reload may still answer
    const served = await until(async () => {
      const seen = await classOf().catch(() => undefined);
      return seen?.class === 'current' && seen;
    });
    expect(served).toMatchObject({
      expected: { certificateId: second.id, fingerprint: fingerprintOf(second.pem) },
    });
  } finally {
    await machine.run('nginx -s stop').catch(() => '');
    await machine.stop();
  }
}

/** SHA-256 over the first certificate of a text, hex. */
function fingerprintOf(pem: string): string {
  const [, base64 = ''] = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(pem) ?? [];
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
}
