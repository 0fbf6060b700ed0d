import type { Fqdn } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import type { Test } from 'supertest';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { OrderMoment } from '../../../src/acme/orders/order-steps.js';
import { type ScriptedAcme, startScriptedAcme } from '../../support/acme/scripted-acme.js';
import { startApp, type TestApp } from '../../support/app.js';
import { pathOf } from '../../support/inventory.js';
import type { Person } from '../../support/people.js';
import { configure, providerOf } from '../../support/signing.js';

export const encryptionKeys = `one:${Buffer.alloc(32, 7).toString('base64')}`;

/** What a test of requests finds in place: a service with an ACME provider, and its CA, which answers by a script. */
export interface RequestPlace {
  readonly app: TestApp;
  readonly ca: ScriptedAcme;
  /** Milliseconds of each pause between two looks at the CA. */
  readonly pauses: readonly number[];
  /** The moment of an order at which the process ends, once. */
  deadly: OrderMoment | undefined;
  /** Called at each moment of an order. */
  atMoment: ((moment: OrderMoment) => Promise<void>) | undefined;
  configureAcme(more: object): Promise<void>;
  request(fqdn: Fqdn, body?: object, person?: Person, query?: string): Test;
  certificatesOf(fqdn: Fqdn): Promise<readonly { readonly id: string; readonly pem: string }[]>;
  /** Lets what a request has begun in the background come to its end. */
  quiet(): Promise<void>;
}

/** Describes requests for certificates on each database. */
export function describeRequests(name: string, suite: (place: RequestPlace) => void): void {
  describeEachDialect(name, (open) => {
    const pauses: number[] = [];
    const started = {} as { app: TestApp; ca: ScriptedAcme };
    const place: RequestPlace = {
      get app() {
        return started.app;
      },
      get ca() {
        return started.ca;
      },
      pauses,
      deadly: undefined,
      atMoment: undefined,
      ...actsOn(started),
    };
    beforeAll(async () => {
      started.ca = await startScriptedAcme(() => started.app.clock);
      started.app = await startApp(open, {
        environment: { ENCRYPTION_KEYS: encryptionKeys, ACME_DIRECTORY_URL: started.ca.directoryUrl },
        orders: {
          pause: async (ms) => void pauses.push(ms),
          atMoment: async (moment) => {
            await place.atMoment?.(moment);
            if (moment !== place.deadly) return;
            place.deadly = undefined;
            throw new Error('the process ends here');
          },
        },
      });
      await place.configureAcme({});
    });
    afterAll(async () => {
      await started.app.close();
      await started.ca.close();
    });
    beforeEach(async () => {
      started.app.clock.set(new Date('2026-03-01T12:00:00Z'));
      started.ca.forget();
      // that CA numbers its orders from one again, which no job may hold
      await started.app.database.transaction((tx) => executeSql(tx, 'delete from issuances'));
      pauses.length = 0;
      place.atMoment = undefined;
      started.ca.processing = 0;
      started.ca.listsOrders = true;
    });
    suite(place);
  });
}

function actsOn(started: { readonly app: TestApp; readonly ca: ScriptedAcme }) {
  let seen = 0;
  const brokenCount = () =>
    started.app.logged().filter(({ event }) => event === 'issuance.unexpected_error').length;
  const acts: Pick<RequestPlace, 'configureAcme' | 'request' | 'certificatesOf' | 'quiet'> = {
    configureAcme: async (more) => {
      const { app, ca } = started;
      const challenge = { type: 'http-01', http01: { selfCheck: 'off' } };
      const config = { directoryUrl: ca.directoryUrl, termsOfServiceAgreed: true, challenge, ...more };
      await configure(app, await providerOf(app, 'acme'), config).expect(200);
    },
    request: (fqdn, body = {}, person = started.app.people.ada, query = 'wait=20') =>
      started.app.request
        .post(`${pathOf(fqdn, 'request-certificate')}?${query}`)
        .set(person.auth)
        .send(body),
    certificatesOf: async (fqdn) => {
      const { request, people } = started.app;
      return (await request.get(pathOf(fqdn, 'certificates')).set(people.ada.auth).expect(200)).body;
    },
    quiet: async () => {
      for (let left = 1500; left > 0 && brokenCount() === seen; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      seen = brokenCount();
    },
  };
  return acts;
}
