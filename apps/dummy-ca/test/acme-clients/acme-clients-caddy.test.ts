import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { until } from '@certloop/contracts/testing';
import { hasProgram, programOfToday } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type ClientPlace, openClientPlace, testIf } from '../support/client-place.js';
import { lintOfTlsServer, validSeconds, verifiedLeaf } from '../support/verified-leaf.js';

const program = programOfToday('caddy');
const isThere = hasProgram(program, 'no web server gets its certificates', ['version']);
const caddy = testIf(isThere);

let place: ClientPlace;
let server: ChildProcess | undefined;
let log = '';
beforeAll(async () => {
  place = await openClientPlace({ isWebServer: true, renewalInfoSeconds: 1 });
  if (!isThere) return;
  writeFileSync(place.at('Caddyfile'), configuration(place));
  server = spawn(program, ['run', '--config', place.at('Caddyfile'), '--adapter', 'caddyfile'], {
    env: {
      ...process.env,
      HOME: place.at('home'),
      XDG_DATA_HOME: place.at('home'),
      XDG_CONFIG_HOME: place.at('home'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
});
afterAll(async () => {
  if (server !== undefined && server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit');
  await place.close();
});

/** Two sites of a server that looks every half second whether something is to be renewed. */
const configuration = ({ at, directory, http01Port, tlsAlpn01Port }: ClientPlace) => `{
  admin off
  auto_https disable_redirects
  http_port ${http01Port}
  https_port ${tlsAlpn01Port}
  default_bind 127.0.0.1
  renew_interval 500ms
  skip_install_trust
  email ada@example.test
}
http.caddy.test {
  tls {
    issuer acme {
      dir ${directory('https')}
      trusted_roots ${at('root.pem')}
      disable_tlsalpn_challenge
    }
  }
  respond "by http-01"
}
alpn.caddy.test {
  tls {
    issuer acme {
      dir ${directory('https')}
      trusted_roots ${at('root.pem')}
      disable_http_challenge
      profile shortlived
    }
  }
  respond "by tls-alpn-01"
}
`;

/** The answer of the site over TLS that the root vouches for, and the chain that the server sent. */
function visit(name: string): Promise<{ readonly body: string; readonly chain: readonly X509Certificate[] }> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      {
        port: place.tlsAlpn01Port,
        host: '127.0.0.1',
        servername: name,
        ca: readFileSync(place.at('root.pem')),
      },
      () => socket.write(`GET / HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`),
    );
    const parts: Buffer[] = [];
    let chain: X509Certificate[] = [];
    socket.once('secureConnect', () => {
      const { raw, issuerCertificate } = socket.getPeerCertificate(true);
      chain = [raw, issuerCertificate.raw].map((der) => new X509Certificate(der));
    });
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.once('end', () => resolve({ body: Buffer.concat(parts).toString(), chain }));
    socket.once('error', reject);
  });
}

/** Visits until the answer is as wanted. Rejects with what caddy logged if it never is. */
async function visitUntil(name: string, isSo: (leaf: X509Certificate) => boolean = () => true) {
  return until(async () => {
    const visited = await visit(name).catch(() => undefined);
    const leaf = visited?.chain[0];
    return visited !== undefined && leaf !== undefined && isSo(leaf) && { ...visited, leaf };
  }).catch((cause) => {
    throw new Error(`caddy serves nothing such at ${name}:\n${log}`, { cause });
  });
}

describe('caddy', () => {
  caddy.each([
    ['http-01', 'http.caddy.test', 7_776_000, []],
    ['tls-alpn-01', 'alpn.caddy.test', 576_000, lintOfTlsServer],
  ])('serves with a certificate that it got by %s', async (way, name, seconds, lint) => {
    const { body, chain, leaf } = await visitUntil(name);
    expect(body).toContain(`by ${way}`);
    writeFileSync(place.at('served.pem'), chain.join(''));
    await verifiedLeaf(place, name, place.at('served.pem'), 'root.pem', lint);
    expect(validSeconds(leaf)).toBe(seconds);
  });

  caddy('renews as soon as the CA wants it', async () => {
    const { leaf } = await visitUntil('http.caddy.test');
    await place.wantRenewed(leaf);
    await visitUntil('http.caddy.test', ({ serialNumber }) => serialNumber !== leaf.serialNumber);
  });
});
