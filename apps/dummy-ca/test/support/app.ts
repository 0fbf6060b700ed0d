import { X509Certificate } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { CsrProfile } from '@certloop/contracts';
import { createLogger, createMovableClock, type MetricsAccess, type MovableClock } from '@certloop/server';
import request from 'supertest';
import { createApp } from '../../src/app.js';
import {
  type CertificateAuthority,
  openAuthority,
  type RootSource,
  type SpreadIssuing,
} from '../../src/authority/certificate-authority.service.js';
import type { StoreLimits } from '../../src/authority/certificates.store.js';
import type { StatusSettings } from '../../src/status/status-deps.service.js';
import { csrField } from './csrs.js';

export interface TestCa {
  readonly http: RequestListener;
  readonly clock: MovableClock;
  readonly authority: CertificateAuthority;
  readonly root: X509Certificate;
  /** POST /csr of the given members over a valid request. */
  sign(members?: object): request.Test;
  /** The certificate for the given members over a valid request. */
  issue(members?: object): Promise<Issued>;
}

export interface Issued {
  readonly id: string;
  readonly pem: string;
  readonly certificate: X509Certificate;
}

export const freshRoot: RootSource = {
  keyType: 'P-256',
  commonName: 'Test Root',
  rootValidityDays: 36_525,
  rootPastDays: 1,
  permittedNames: undefined,
  backdateSeconds: 60,
  publicUrl: undefined,
  pointers: ['crl', 'ocsp', 'issuer'],
  rootKeyPem: undefined,
  rootCertificatePem: undefined,
};

export const noIntermediate = { intermediateKeyPem: undefined, intermediateCertificatePem: undefined };

export const usualStatus: StatusSettings = { crlSeconds: 86_400, ocspSeconds: 3_600, backdateSeconds: 60 };

const roomy: StoreLimits = { count: 10_000, octets: 100_000_000 };

export interface CaOptions {
  readonly now?: Date;
  readonly storeLimits?: StoreLimits;
  readonly metricsAccess?: MetricsAccess;
  readonly spread?: SpreadIssuing;
  readonly lint?: CsrProfile;
}

/** The real application on a root of its own, with a clock that stands still. */
export async function startCa(
  source: Partial<RootSource> = {},
  { now = new Date(), storeLimits = roomy, metricsAccess, spread, lint }: CaOptions = {},
): Promise<TestCa> {
  const clock = createMovableClock(now);
  const authority = await openAuthority({ ...freshRoot, ...source }, clock, spread);
  const http = createApp({
    authority,
    storeLimits,
    status: usualStatus,
    ...(metricsAccess && { metricsAccess }),
    lint,
    clock,
    logger: createLogger({ service: 'dummy-ca', level: 'silent' }),
  });
  const sign = (members: object = {}) =>
    request(http)
      .post('/csr')
      .send({ csr: csrField(), action: 'sign', ...members });
  return {
    http,
    clock,
    authority,
    root: new X509Certificate(authority.rootPem),
    sign,
    issue: async (members) => issuedBy(await sign(members).expect(200)),
  };
}

function issuedBy({ body }: request.Response): Issued {
  const { id, certificate: pem } = body as { readonly id: string; readonly certificate: string };
  return { id, pem, certificate: new X509Certificate(pem) };
}
