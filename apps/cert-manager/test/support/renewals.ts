import type { Certificate, Fqdn, RenewalExplanation, RenewalQueueEntry } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { afterAll, beforeAll } from 'vitest';
import { renewalQueue } from '../../src/renewals/renewals.repository.js';
import type { SuiteApp, TestApp, TestAppOptions } from './app.js';
import type { FakeCa } from './cas/fake-ca.js';
import { pathOf } from './inventory.js';
import { type Person, settlePerson } from './people.js';
import { configure, fqdnWithCsr, providerOf, startAppWithCa } from './signing.js';

export interface RenewalPlace {
  readonly app: TestApp;
  readonly ca: FakeCa;
  readonly providerId: string;
  readonly close: () => Promise<void>;
}

/** A place on a database of its suite. */
export interface SuitePlace extends RenewalPlace {
  readonly app: SuiteApp;
}

/**
 * The application with a CA whose certificates last for `validityDays`, and an administrator whose token lasts
 * however far the clock is moved.
 */
export async function startRenewing(
  open: OpenTestDatabase,
  options: TestAppOptions = {},
  validityDays = 30,
): Promise<SuitePlace> {
  const { app: started, ca, close } = await startAppWithCa(open, options.environment, options);
  const expiresAt = new Date('2100-01-01T00:00:00Z');
  const ada = await settlePerson(started, { username: 'ada.lasting', isAdmin: true }, { expiresAt });
  const app = { ...started, people: { ...started.people, ada } };
  const { id: providerId } = await providerOf(app, 'dummy-ca');
  const place = { app, ca, providerId, close };
  await issueForDays(place, validityDays);
  return place;
}

/** Makes the CA issue certificates that last so long from now on. */
export async function issueForDays(
  { app, ca, providerId }: RenewalPlace,
  validityDays: number,
): Promise<void> {
  await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays }).expect(200);
}

/** As startRenewing, for as long as the tests of a suite run; its members are there from the first hook on. */
export function useRenewing(
  open: OpenTestDatabase,
  options?: Parameters<typeof startRenewing>[1],
): RenewalPlace {
  let place: RenewalPlace | undefined;
  const started = () => {
    if (place === undefined) throw new Error('the place is used before the hooks of its suite have run');
    return place;
  };
  beforeAll(async () => {
    place = await startRenewing(open, options);
  });
  afterAll(() => started().close());
  return {
    get app() {
      return started().app;
    },
    get ca() {
      return started().ca;
    },
    get providerId() {
      return started().providerId;
    },
    close: () => started().close(),
  };
}

/** Switches automatic renewal as the administrator. */
export function switchRenewal(app: TestApp, fqdn: Fqdn, renewalEnabled: boolean, more: object = {}) {
  return app.request
    .put(pathOf(fqdn, 'renewal-enabled'))
    .set(app.people.ada.auth)
    .send({ renewalEnabled, ...more })
    .expect(200);
}

export function signWith({ app, providerId }: RenewalPlace, fqdn: Fqdn) {
  return app.request.post(pathOf(fqdn, 'csr/sign')).set(app.people.ada.auth).send({ providerId }).expect(200);
}

/** A new FQDN with a CSR and a certificate. */
export async function issuedFqdn(place: RenewalPlace, hostname?: string): Promise<Fqdn> {
  const { fqdn } = await fqdnWithCsr(place.app, hostname);
  await signWith(place, fqdn);
  return fqdn;
}

/** A new FQDN with a CSR and a certificate, whose renewal is due and was refused by the CA. */
export async function failingFqdn(place: RenewalPlace, hostname?: string): Promise<Fqdn> {
  const fqdn = await renewedFqdn(place, hostname);
  await moveToRenewal(place.app, fqdn);
  place.ca.answer('with a refusal');
  await place.app.renew();
  place.ca.answer('normally');
  return fqdn;
}

/** A new FQDN with a CSR and a certificate, renewed automatically. */
export async function renewedFqdn(place: RenewalPlace, hostname?: string): Promise<Fqdn> {
  const fqdn = await issuedFqdn(place, hostname);
  await switchRenewal(place.app, fqdn, true);
  return fqdn;
}

/** Entries of the queue that the person sees, by the moment they run. */
export async function queueOf(
  app: TestApp,
  query: Readonly<Record<string, string>> = {},
  person: Person = app.people.ada,
): Promise<RenewalQueueEntry[]> {
  const { body } = await app.request.get('/renewal-queue').query(query).set(person.auth).expect(200);
  return body as RenewalQueueEntry[];
}

/** Entries of one FQDN, oldest first. */
export async function entriesOf(app: TestApp, { id, spaceId }: Fqdn): Promise<RenewalQueueEntry[]> {
  const entries = await queueOf(app, { spaceId });
  const byAge = (one: RenewalQueueEntry, other: RenewalQueueEntry) => (one.id < other.id ? -1 : 1);
  return entries.filter(({ fqdnId }) => fqdnId === id).sort(byAge);
}

/** The entry of an FQDN that has just one open. */
export async function openEntryOf(app: TestApp, fqdn: Fqdn): Promise<RenewalQueueEntry> {
  const open = (await entriesOf(app, fqdn)).filter(({ status }) =>
    ['pending', 'processing'].includes(status),
  );
  const [entry] = open;
  if (entry === undefined || open.length > 1) throw new Error(`${open.length} open entries instead of one`);
  return entry;
}

export async function certificatesOf(app: TestApp, fqdn: Fqdn): Promise<Certificate[]> {
  const { body } = await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth).expect(200);
  return body as Certificate[];
}

export async function explanationOf(app: TestApp, fqdn: Fqdn): Promise<RenewalExplanation> {
  const path = pathOf(fqdn, 'renewal-explanation');
  const { body } = await app.request.get(path).set(app.people.ada.auth).expect(200);
  return body as RenewalExplanation;
}

/** Moves the clock to the moment at which the open entry of an FQDN is due. */
export async function moveToRenewal(app: TestApp, fqdn: Fqdn): Promise<void> {
  app.clock.set(new Date((await openEntryOf(app, fqdn)).scheduledAt));
}

/** Queues a test renewal of the newest certificate of an FQDN as the administrator. */
export async function addTestRenewal(app: TestApp, fqdn: Fqdn, minutesFromNow = 0): Promise<string> {
  const certificateId = (await certificatesOf(app, fqdn)).at(-1)?.id;
  const { body } = await app.request
    .post('/renewal-queue/test/create')
    .set(app.people.ada.auth)
    .send({ certificateId, fqdnId: fqdn.id, spaceId: fqdn.spaceId, minutesFromNow })
    .expect(201);
  return body.queueId as string;
}

/** Rows of the queue as they are stored. */
export function storedRenewals(database: Database, fqdnId: string) {
  return database.read((tx) =>
    tx.find(renewalQueue, { where: { fqdnId }, order: { createdAt: 'ASC', id: 'ASC' } }),
  );
}

/** Deletes every FQDN as the administrator, so that what one test leaves is not due in the next. */
export async function clearInventory(app: TestApp): Promise<void> {
  await app.request.delete('/fqdns?confirm=true').set(app.people.ada.auth).expect(200);
}
