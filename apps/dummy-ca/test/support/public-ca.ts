import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { certificateLabel, formatPem, parsePem } from '@certloop/crypto';
import { createLogger, createMovableClock, type MovableClock } from '@certloop/server';
import { type AcmeIssuer, openAcmeIssuer } from '../../src/acme/issuance/acme-issuer.service.js';
import { acmePartsOf } from '../../src/acme-config.js';
import { createApp } from '../../src/app.js';
import {
  type CertificateAuthority,
  openAuthority,
  type RootSource,
} from '../../src/authority/certificate-authority.service.js';
import { loadConfig } from '../../src/config.js';
import type { StatusSettings } from '../../src/status/status-deps.service.js';
import { freshRoot, noIntermediate, usualStatus } from './app.js';
import { csrField } from './csrs.js';

export interface PublicCa {
  readonly url: string;
  readonly clock: MovableClock;
  readonly authority: CertificateAuthority;
  readonly issuer: AcmeIssuer;
  readonly rootPem: string;
  /** Folder for the files of programs. */
  readonly folder: string;
  /** Path of a file with the content. */
  file(name: string, content: string | Uint8Array): string;
  get(path: string): Promise<Buffer>;
  /** PEM of a certificate from POST /csr. */
  sign(members?: object): Promise<string>;
  acmeClient(): Promise<AcmeClient>;
  revoke(serialNumber: string, reason?: string): Promise<Response>;
  close(): Promise<void>;
}

export interface PublicCaOptions {
  readonly source?: Partial<RootSource>;
  readonly status?: StatusSettings;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The real application, whose certificates name the addresses at which it is reached. */
export async function startPublicCa(options: PublicCaOptions = {}): Promise<PublicCa> {
  const clock = createMovableClock(new Date());
  let app: RequestListener = () => undefined;
  const server = createServer((request, response) => app(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const source = { ...freshRoot, publicUrl: url, ...options.source };
  const authority = await openAuthority(source, clock);
  const issuer = await openAcmeIssuer(authority, { ...noIntermediate, ...source }, clock);
  const { validation, ...parts } = acmePartsOf(
    loadConfig({ DUMMY_CA_ADMIN: 'true', DUMMY_CA_PUBLIC_URL: url, ...options.environment }),
  );
  app = createApp({
    authority,
    storeLimits: { count: 1_000, octets: 10_000_000 },
    status: options.status ?? usualStatus,
    metricsAccess: { metricsToken: undefined, metricsOpen: true },
    acme: { issuer, ...parts, validation: { ...validation, mode: 'always-valid' } },
    clock,
    logger: createLogger({ service: 'dummy-ca', level: 'silent' }),
  });
  const folder = mkdtempSync(join(tmpdir(), 'dummy-ca-'));
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    url,
    clock,
    authority,
    issuer,
    rootPem: authority.rootPem,
    folder,
    file: (name, content) => {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    get: async (path) => Buffer.from(await (await fetch(`${url}${path}`)).arrayBuffer()),
    sign: async (members = {}) => {
      const answer = await post('/csr', { csr: csrField(), action: 'sign', ...members });
      const { certificate, error } = (await answer.json()) as Readonly<Record<string, string>>;
      if (certificate === undefined) throw new Error(error);
      return certificate;
    },
    acmeClient: async () => {
      const client = new AcmeClient(url);
      await client.register();
      return client;
    },
    revoke: (serialNumber, reason) => post('/admin/revocations', { serialNumber, reason }),
    close: async () => {
      rmSync(folder, { recursive: true, force: true });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const derOf = (pem: string): Buffer => parsePem(pem, [certificateLabel]);
export const certificatePem = (der: Uint8Array): string => formatPem(certificateLabel, der);
export const crlPem = (der: Uint8Array): string => formatPem('X509 CRL', der);
export const names = dnsIdentifiers('www.example.test');
