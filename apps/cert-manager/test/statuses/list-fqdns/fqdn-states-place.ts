import type { Fqdn, FqdnState } from '@certloop/contracts';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { afterAll, beforeAll } from 'vitest';
import type { TestApp } from '../../support/app.js';
import { grant } from '../../support/factories.js';
import { addFqdn, addSpace } from '../../support/inventory.js';
import type { Person } from '../../support/people.js';
import {
  failingFqdn,
  issuedFqdn,
  issueForDays,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
} from '../../support/renewals.js';

const day = 86_400_000;

/** A service with an FQDN in each state. */
export interface FqdnStatesPlace extends RenewalPlace {
  /** The FQDNs by their state, in the order of their need. */
  readonly held: Record<FqdnState, Fqdn>;
  readonly get: (path: string, person?: Person) => ReturnType<TestApp['request']['get']>;
  /** The FQDNs that a query lists. */
  readonly list: (query?: object, person?: Person) => Promise<Fqdn[]>;
}

export function useFqdnStates(open: OpenTestDatabase): FqdnStatesPlace {
  const place: FqdnStatesPlace = Object.assign({} as RenewalPlace, {
    held: {} as Record<FqdnState, Fqdn>,
    get: (path: string, person: Person = place.app.people.ada) =>
      place.app.request.get(path).set(person.auth),
    list: async (query: object = {}, person?: Person) => {
      const { body } = await place.get('/fqdns', person).query(query).expect(200);
      return body as Fqdn[];
    },
  });
  beforeAll(async () => {
    const started = await startRenewing(open, {
      environment: { CHECK_MONITOR_PUBLIC_URL: 'https://monitor.example' },
    });
    Object.assign(place, started);
    await addFqdnOfEachState(place);
  });
  afterAll(() => place.close());
  return place;
}

async function addFqdnOfEachState(place: FqdnStatesPlace): Promise<void> {
  const { app, held } = place;
  await issueForDays(place, 1);
  held.expired = await issuedFqdn(place, 'expired.example.org');
  app.clock.advance(2 * day);
  await issueForDays(place, 30);
  held.failing = await failingFqdn(place, 'failing.example.org');
  await issueForDays(place, 2);
  held.due = await issuedFqdn(place, 'due.example.org');
  app.clock.advance(1.9 * day);
  await issueForDays(place, 90);
  held.valid = await renewedFqdn(place, 'xn--bcher-kva.example.org');
  held.unfinished = await addFqdn(app, (await addSpace(app)).id, 'unfinished.example.org');
  const spaceIds = [held.expired, held.valid, held.unfinished].map(({ spaceId }) => spaceId);
  await grant(app, app.people.ben, 'READ', spaceIds);
}
