import { readFileSync } from 'node:fs';
import type { AuditAction, Csr, Fqdn, Space } from '@certloop/contracts';
import { auditLogs } from '../../src/audit/audit.repository.js';
import type { TestApp } from './app.js';
import type { Person } from './people.js';

/** Any uuid that names nothing. */
export const unknownId = '3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e';

/** Texts that are not UUIDs, as they stand in a path. */
export const badIds = ['1', 'null', 'not-a-uuid', `${unknownId}0`, unknownId.slice(1), '%F0%9F%98%80', '%00'];

/** Makes a space as the administrator. */
export async function addSpace(app: TestApp, name = 'space'): Promise<Space> {
  const { body } = await app.request.post('/spaces').set(app.people.ada.auth).send({ name }).expect(201);
  return body as Space;
}

/** Adds an FQDN to the space as the administrator. */
export async function addFqdn(app: TestApp, spaceId: string, fqdn = 'www.example.com'): Promise<Fqdn> {
  const { body } = await app.request
    .post(`/spaces/${spaceId}/fqdns`)
    .set(app.people.ada.auth)
    .send({ fqdn })
    .expect(201);
  return body as Fqdn;
}

/** Text of a CSR, or of the certificate, of `test/data/csrs`. */
export function csrSample(name: string): string {
  return readFileSync(new URL(`../../../test/data/csrs/${name}.pem`, import.meta.url), 'utf8');
}

/** Path of what belongs to an FQDN, such as its `csr`. */
export function pathOf({ spaceId, id }: Pick<Fqdn, 'spaceId' | 'id'>, rest: string): string {
  return `/spaces/${spaceId}/fqdns/${id}/${rest}`;
}

/** An upload of a CSR, unsent, so that a test may change it. */
export function csrUpload(app: TestApp, fqdn: Fqdn, pem: string | Buffer, person: Person = app.people.ada) {
  return app.request
    .post(pathOf(fqdn, 'csr'))
    .set(person.auth)
    .field('spaceId', fqdn.spaceId)
    .field('fqdn', fqdn.fqdn)
    .attach('csr', Buffer.from(pem), 'request.pem');
}

/** Uploads a CSR as the administrator. */
export async function addCsr(app: TestApp, fqdn: Fqdn, pem: string = csrSample('p256')): Promise<Csr> {
  const { body } = await csrUpload(app, fqdn, pem).expect(201);
  return body as Csr;
}

/** Audit entries of one action, oldest first. */
export async function auditEntries(app: TestApp, action: AuditAction) {
  return app.database.read((tx) => tx.find(auditLogs, { where: { action }, order: { id: 'ASC' } }));
}
