import type { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renewalIdOf } from '@certloop/acme-server/rules';
import { freePort } from '@certloop/contracts/testing';
import { buildCsr, parseCertificate } from '@certloop/crypto';
import { listen } from '@certloop/server';
import { startDnsServer } from '@certloop/server/testing';
import { test } from 'vitest';
import { makeHttpsCertificate } from '../../src/acme/issuance/https-certificate.service.js';
import { startAcme, type TestAcme } from './acme.js';
import { p256 } from './csrs.js';
import { startWebRoot, type WebRoot } from './web-root.js';

export const schemes = ['http', 'https'] as const;
export type Scheme = (typeof schemes)[number];

/** Where clients that no one here wrote meet the server, with all that they prove names by. */
export interface ClientPlace {
  readonly acme: TestAcme;
  /** Web server at the port that stands for 80. */
  readonly web: WebRoot;
  /** Free port that stands for 443. */
  readonly tlsAlpn01Port: number;
  /** Port that stands for 80: that of `web`, or a free one. */
  readonly http01Port: number;
  /** Folder of TXT records: a file for each name, a line for each record. */
  readonly records: string;
  /** Path below the folder of the place; `root.pem` and `alternate-root.pem` stand there. */
  at(...parts: readonly string[]): string;
  /** Address of the directory. */
  directory(scheme: Scheme): string;
  /** Path of a shell script with the lines. */
  script(name: string, ...lines: readonly string[]): string;
  /** Path of a CSR for the name, also as its common name, or for the address, of a key that no client has seen. */
  foreignCsr(name: string): Promise<string>;
  /** Says by the administrative API that the certificate should have been renewed an hour ago (RFC 9773). */
  wantRenewed(certificate: X509Certificate): Promise<void>;
  close(): Promise<void>;
}

/** Test of a program, or one that is skipped where the program is not. */
export const testIf = (isThere: boolean): typeof test.skip => (isThere ? test : test.skip);

// Of octets that differ: dehydrated reads the key by hexdump, which leaves repeated lines out.
const macKey = Buffer.from(Array.from({ length: 48 }, (_, place) => place * 5));

/** An external account that the server knows; the key is in base64url. */
export const externalAccount = { kid: 'kid-1', key: macKey.toString('base64url') } as const;

export interface ClientPlaceOptions {
  /** Whether the client answers http-01 at a port of its own, instead of by files of `web`. */
  readonly isWebServer?: boolean;
  /** Seconds after which clients shall ask for renewal information again. */
  readonly renewalInfoSeconds?: number;
}

/** A server by http and https that validates on this machine alone, at ports of its own. */
export async function openClientPlace({
  isWebServer = false,
  renewalInfoSeconds,
}: ClientPlaceOptions = {}): Promise<ClientPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'dummy-ca-acme-'));
  const at = (...parts: readonly string[]) => join(folder, ...parts);
  const records = mkdtempSync(at('records-'));
  const web = await startWebRoot(at('web'));
  const dns = await startDnsServer((name) => linesOf(join(records, name)));
  const tlsAlpn01Port = await freePort();
  const http01Port = isWebServer ? await freePort() : web.port;
  const acme = await startAcme({
    now: new Date(),
    settings: {
      externalAccounts: new Map([[externalAccount.kid, macKey]]),
      retryAfterSeconds: 1,
      ...(renewalInfoSeconds !== undefined && { renewalInfoSeconds }),
    },
    validation: {
      mode: 'real',
      http01Port,
      tlsAlpn01Port,
      resolveTo: '127.0.0.1',
      dnsServer: dns.address,
    },
  });
  const secure = await listenByHttps(acme);
  const bases = { http: acme.url, https: secure.url };
  await writeRoots(acme, at);
  return {
    acme,
    web,
    tlsAlpn01Port,
    http01Port,
    records,
    at,
    directory: (scheme) => `${bases[scheme]}/acme/directory`,
    ...writersOf(at),
    wantRenewed: (certificate) => moveWindowToPast(acme.url, certificate),
    close: async () => {
      await secure.close();
      await acme.close();
      await web.close();
      await dns.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same server by https, under a certificate of its own CA. */
async function listenByHttps({ authority, clock, server }: TestAcme) {
  const tls = await makeHttpsCertificate(authority, ['localhost', '127.0.0.1'], clock);
  const [handler] = server.listeners('request');
  const { url, close } = await listen(handler as Parameters<typeof listen>[0], {
    host: '127.0.0.1',
    port: 0,
    tls,
  });
  return { url: `https://localhost:${new URL(url).port}`, close };
}

async function writeRoots({ url, authority }: TestAcme, at: ClientPlace['at']): Promise<void> {
  writeFileSync(at('root.pem'), authority.rootPem);
  writeFileSync(at('alternate-root.pem'), await (await fetch(`${url}/acme/roots/1`)).text());
}

/** Writes files that clients run or read. */
function writersOf(at: ClientPlace['at']): Pick<ClientPlace, 'script' | 'foreignCsr'> {
  return {
    script: (name, ...lines) => {
      writeFileSync(at(name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
      return at(name);
    },
    foreignCsr: async (name) => {
      const { privateKey } = p256();
      const names =
        isIP(name) > 0 ? { ipAddresses: [name] } : { subject: { commonName: name }, dnsNames: [name] };
      const { pem } = await buildCsr({ privateKey, ...names });
      writeFileSync(at(`${name}.csr`), pem);
      return at(`${name}.csr`);
    },
  };
}

async function moveWindowToPast(url: string, { raw }: X509Certificate): Promise<void> {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const { ok } = await fetch(`${url}/admin/renewal-info/${renewalIdOf(parseCertificate(raw))}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ start: hoursAgo(2), end: hoursAgo(1) }),
  });
  if (!ok) throw new Error('the window was not moved');
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}
