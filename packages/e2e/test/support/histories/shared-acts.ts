import type { Batch } from './history.js';
import { day, minute } from './history.js';

type SharedAct = (batch: Batch) => Promise<unknown>;

/** What happens to all names of a batch, or to those of a space. */
export const sharedActs: Readonly<Record<string, SharedAct>> = {
  disableProviders: (batch) => enableProviders(batch, false),
  enableProviders: (batch) => enableProviders(batch, true),
  deleteProvider: async (batch) => {
    const { stack, providers } = batch;
    const { manager } = stack.clients;
    const isDeleted = await manager.deleteProvider({ params: { id: providers.other } }).then(
      () => true,
      () => false,
    );
    if (isDeleted) providers.other = await createOtherProvider(batch.stack);
    if (isDeleted && batch.state.areProvidersDisabled) await enableProviders(batch, false);
  },
  providersAway: async ({ stack }) => stack.setAway('ca', true),
  providersBack: async ({ stack }) => stack.setAway('ca', false),
  closePolicy: (batch) => setPolicy(batch, true),
  openPolicy: (batch) => setPolicy(batch, false),
  unwatch: (batch) => setWatch(batch, false),
  watch: (batch) => setWatch(batch, true),
  monitorAway: async ({ stack }) => stack.setAway('monitor', true),
  monitorBack: async ({ stack }) => {
    if (!stack.isAway('monitor')) return;
    stack.setAway('monitor', false);
    // the longest pause before cert-manager sends a check again
    stack.clock.advance(60 * minute);
  },
  // nothing runs meanwhile, as when a host is suspended
  suspend: async ({ stack: { clock }, random }) => clock.advance(timeToPass(random.next())),
  clockBack: async ({ stack: { clock }, random }) => clock.advance(-random.pick([5 * minute, day])),
  pass: async () => undefined,
};

const timeToPass = (share: number) => Math.floor(share * 3 * day);

let created = 0;

/** Creates a provider that can be deleted, which the first one of a kind cannot. */
export async function createOtherProvider({ clients, caUrl }: Batch['stack']): Promise<string> {
  created += 1;
  const body = { kind: 'dummy-ca', name: `other-${created}`, config: { baseUrl: caUrl } } as const;
  return (await clients.manager.createProvider({ body })).body.id;
}

async function enableProviders({ stack, providers, state }: Batch, enabled: boolean): Promise<void> {
  for (const id of [providers.builtIn, providers.other])
    await stack.clients.manager.setProviderEnabled({ params: { id }, body: { enabled } });
  state.areProvidersDisabled = !enabled;
}

async function setPolicy({ stack, random, spaceIds, providers, state }: Batch, isClosed: boolean) {
  const id = random.pick(spaceIds);
  const all = (await stack.clients.manager.listProviders({ query: {} })).body.map((provider) => provider.id);
  const others = all.filter((one) => one !== providers.builtIn && one !== providers.other);
  const body = { allowedNames: null, providerIds: isClosed ? others : null, confirmed: true };
  await stack.clients.manager.setIssuancePolicy({ params: { id }, query: {}, body });
  if (isClosed) state.closedSpaces.add(id);
  else state.closedSpaces.delete(id);
}

async function setWatch({ stack, random, spaceIds, state }: Batch, watchEnabled: boolean) {
  const id = random.pick(spaceIds);
  await stack.clients.manager.setWatchEnabled({ params: { id }, body: { watchEnabled } });
  // FQDNs with renewal off follow those with renewal on, a millisecond later
  stack.clock.advance(2);
  if (watchEnabled) state.unwatchedSpaces.delete(id);
  else state.unwatchedSpaces.add(id);
}
