import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import type { OpenTestDatabase } from '@certloop/db/testing';
import type { Response } from 'supertest';
import { startAppOn, type TestApp } from '../app.js';
import { auditEntries, pathOf } from '../inventory.js';
import type { Person } from '../people.js';
import { type SuitePlace, startRenewing } from '../renewals.js';
import type { FakeCa, Manner } from './fake-ca.js';

/** A service with its CA, and another process on the same database. */
export interface TwoProcesses extends SuitePlace {
  readonly other: TestApp;
  /** Settings of a process that is started beside them. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function startTwoProcesses(open: OpenTestDatabase): Promise<TwoProcesses> {
  const place = await startRenewing(open);
  const environment = { DUMMY_CA_URL: place.ca.url };
  const other = await startAppOn(place.app.database, { beside: place.app, environment });
  const close = async () => {
    await other.close();
    await place.close();
  };
  return { ...place, other, environment, close };
}

/** One call of csr/sign. */
export interface SignCall {
  readonly app: TestApp;
  readonly fqdn: Fqdn;
  readonly providerId: string;
  readonly person?: Person;
  readonly waitSeconds?: number;
}

/** Sends the call at once, also if its response is awaited later. */
export function callSign(call: SignCall): Promise<Response> {
  const { app, fqdn, providerId, person = app.people.ada, waitSeconds = 60 } = call;
  return app.request
    .post(`${pathOf(fqdn, 'csr/sign')}?wait=${waitSeconds}`)
    .set(person.auth)
    .send({ providerId })
    .then((response) => response);
}

/** Number of requests for a certificate that the CA received. */
export function countAsked({ paths }: Pick<FakeCa, 'paths'>): number {
  return paths.filter((path) => path === '/csr').length;
}

/** Sends a call whose CA does not respond until it is let go; resolves when the CA has it. */
export async function beginHeld(
  ca: FakeCa,
  call: SignCall,
): Promise<{ readonly response: Promise<Response> }> {
  const before = countAsked(ca);
  ca.answer('when let go');
  const response = callSign(call);
  await until(() => countAsked(ca) > before);
  return { response };
}

/** Lets the requests go that the CA holds, to be answered like this; later ones are answered normally. */
export async function letGo(ca: FakeCa, manner: Manner = 'normally'): Promise<void> {
  ca.answer(manner);
  ca.release();
  // the CA reads the manner as soon as it continues
  await new Promise((resolve) => setImmediate(resolve));
  ca.answer('normally');
}

const waits = ['issuance.joined', 'issuance.waiting_for_other'];

/** Resolves when so many calls in these processes have begun to wait for the running request of the FQDN. */
export async function untilWaiting(
  apps: readonly TestApp[],
  { id }: Pick<Fqdn, 'id'>,
  count: number,
): Promise<void> {
  const waiting = () =>
    apps
      .flatMap((app) => app.logged())
      .filter(({ event, fqdnId }) => waits.includes(String(event)) && fqdnId === id);
  await until(() => waiting().length >= count);
}

/** Continues the work of processes that died, as soon as their leases have expired. */
export async function takeOver(app: TestApp): Promise<void> {
  app.clock.advance(10 * 60_000);
  await app.recoverSigning();
  await app.takeUpJobs();
}

/** Audit entries of the calls for an FQDN, oldest first. */
export async function signEntries(app: TestApp, { id }: Pick<Fqdn, 'id'>) {
  const entries = await auditEntries(app, 'csr.sign');
  return entries.filter(({ details }) => details['fqdnId'] === id);
}
