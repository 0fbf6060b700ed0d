import type { OpenTestDatabase } from '@certloop/db/testing';
import type { TestAppOptions } from '../app.js';
import { type SuitePlace, startRenewing } from '../renewals.js';
import { configure, enable, providerOf } from '../signing.js';
import { orderingByHttp, type ScriptedAcme, startScriptedAcme } from './scripted-acme.js';

/** Environment of an application that orders from a CA by ACME. */
export function orderingEnvironment({ directoryUrl }: ScriptedAcme): Readonly<Record<string, string>> {
  return {
    ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}`,
    ACME_DIRECTORY_URL: directoryUrl,
  };
}

/** The application with two CAs: one that signs, and one that it orders from without pauses. */
export interface OrderingPlace extends SuitePlace {
  readonly acme: ScriptedAcme;
  /** Id of the provider that orders from it. */
  readonly acmeId: string;
  /** Environment of another process beside the application. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function startOrdering(
  open: OpenTestDatabase,
  options: Pick<TestAppOptions, 'renewals' | 'orders'>,
): Promise<OrderingPlace> {
  const acme: ScriptedAcme = await startScriptedAcme(() => place.app.clock);
  const environment = orderingEnvironment(acme);
  const orders = { pause: async () => undefined, ...options.orders };
  const place = await startRenewing(open, { ...options, environment, orders });
  const provider = await providerOf(place.app, 'acme');
  await configure(place.app, provider, orderingByHttp(acme)).expect(200);
  await enable(place.app, provider).expect(200);
  return {
    ...place,
    acme,
    acmeId: provider.id,
    environment: { ...environment, DUMMY_CA_URL: place.ca.url },
    close: async () => {
      await place.close();
      await acme.close();
    },
  };
}
