import type { Fqdn, WatchedServer } from '@certloop/contracts';
import {
  certificateLabel,
  createIssuer,
  createRoot,
  exportPrivateKeyPem,
  formatPem,
  issueCertificate,
} from '@certloop/crypto';
import type { TestApp } from '../app.js';
import { foreignCertificate } from '../cas/foreign-ca.js';
import type { Person } from '../people.js';

const day = 86_400_000;

/** Has servers watched by the administrator, or by another person. */
export async function watchServersOf(
  app: TestApp,
  spaceId: string,
  servers: readonly object[],
  person: Person = app.people.ada,
): Promise<WatchedServer[]> {
  const path = `/spaces/${spaceId}/watched-servers`;
  const { body } = await app.request.post(path).set(person.auth).send({ servers }).expect(200);
  return body.servers as WatchedServer[];
}

/** The FQDN of a server that is watched. */
export async function fqdnOfServer(app: TestApp, spaceId: string, { fqdnId }: WatchedServer): Promise<Fqdn> {
  const { body } = await app.request
    .get(`/spaces/${spaceId}/fqdns/${fqdnId}`)
    .set(app.people.ada.auth)
    .expect(200);
  return body as Fqdn;
}

/** When a certificate of a CA that CertLoop does not know begins and ends, in days from now. */
export interface Lifetime {
  readonly from?: number;
  readonly days?: number;
}

/** A certificate from elsewhere with its key, as a server takes them: with its root, or alone. */
export async function elsewhere(
  app: TestApp,
  hostname: string,
  { from = -1, days = 90 }: Lifetime = {},
): Promise<{ readonly full: Presented; readonly alone: Presented }> {
  const now = app.clock.now().getTime();
  const notBefore = new Date(now + from * day);
  const notAfter = new Date(notBefore.getTime() + days * day);
  const { leafPem, keyPem, rootPem } = await foreignCertificate({
    dnsNames: [hostname],
    notBefore,
    notAfter,
  });
  return { full: { cert: `${leafPem}${rootPem}`, key: keyPem }, alone: { cert: leafPem, key: keyPem } };
}

/** What a server presents. */
export interface Presented {
  readonly cert: string;
  readonly key: string;
}

/** A certificate that is signed with its own key, from now for 90 days. */
export async function selfSigned(app: TestApp, hostname: string): Promise<Presented> {
  const notBefore = app.clock.now();
  const notAfter = new Date(notBefore.getTime() + 90 * day);
  const subject = { commonName: hostname };
  const root = await createRoot({
    keyKind: 'P-256',
    subject,
    notBefore: new Date(notBefore.getTime() - day),
    notAfter: new Date(notAfter.getTime() + day),
    serialNumber: 7n,
  });
  const { certificate } = await createIssuer(root);
  const der = await issueCertificate(await createIssuer(root), {
    serialNumber: 8n,
    subjectDer: certificate.subjectDer,
    spkiDer: certificate.spkiDer,
    notBefore,
    notAfter,
    subjectAltNames: { dnsNames: [hostname] },
  });
  return { cert: formatPem(certificateLabel, der), key: exportPrivateKeyPem(root.privateKey) };
}
