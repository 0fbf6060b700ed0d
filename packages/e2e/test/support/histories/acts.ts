import type { Certificate } from '@certloop/contracts';
import { addFqdn, makeCsr, uploadCsr } from '../../../src/main-job.js';
import { type Batch, day, type History, minute, placeOf, second } from './history.js';

type Act = (batch: Batch, history: History) => Promise<unknown>;

/** What a name can go through; an act that is refused changes nothing. */
export const acts: Readonly<Record<string, Act>> = {
  import: async ({ stack: { clock, clients }, foreignCa }, history) => {
    const { random, name, events } = history;
    const lifetimeMs = random.pick([10 * minute, 2 * 60 * minute, 8 * day, 90 * day]);
    const passedMs = Math.floor((random.next() * lifetimeMs * 0.95) / second) * second;
    const now = Math.floor(clock.now().getTime() / second) * second;
    events.push(`(${lifetimeMs / minute} min, ${Math.round(passedMs / minute)} passed)`);
    const notBefore = new Date(now - passedMs);
    const pem = await foreignCa(name, notBefore, new Date(now - passedMs + lifetimeMs));
    await clients.manager.importCertificate({ params: placeOf(history), body: { pem } });
  },
  upload: async ({ stack: { clients } }, history) =>
    uploadCsr(clients, placeOf(history), history.name, await makeCsr(history.name)),
  sign: ({ stack: { clients }, providers }, history) => {
    const providerId = history.random.next() < 0.8 ? providers.builtIn : providers.other;
    return clients.manager.signCsr({ params: placeOf(history), body: { providerId } });
  },
  uploadAndSign: async (batch, history) => {
    await acts['upload']?.(batch, history);
    await acts['sign']?.(batch, history);
  },
  switchOn: (batch, history) => switchRenewal(batch, history, true),
  switchOff: (batch, history) => switchRenewal(batch, history, false),
  revoke: async (batch, history) => {
    const newest = await newestOf(batch, history);
    if (newest === undefined) return;
    const params = { ...placeOf(history), certId: newest.id };
    const body = { reason: history.random.pick(['superseded', 'keyCompromise'] as const) };
    await batch.stack.clients.manager.revokeCertificate({ params, body });
  },
  accept: ({ stack: { clients } }, history) =>
    clients.manager.setExpiryAccepted({ params: placeOf(history), body: { accepted: true } }),
  acceptNoMore: ({ stack: { clients } }, history) =>
    clients.manager.setExpiryAccepted({ params: placeOf(history), body: { accepted: false } }),
  chooseProvider: ({ stack: { clients }, providers }, history) => {
    const providerId = history.random.pick([providers.builtIn, providers.other, null]);
    const params = { id: history.spaceId, fqdnId: history.fqdnId };
    return clients.manager.updateFqdn({ params, body: { providerId } });
  },
  serveNewest: async (batch, history) => report(batch, history, (await newestOf(batch, history))?.pem),
  serveOther: async (batch, history) => {
    const now = batch.stack.clock.now().getTime();
    const pem = await batch.foreignCa(history.name, new Date(now - day), new Date(now + 90 * day));
    await report(batch, history, pem);
  },
  serveNothing: async ({ stack: { clients } }, history) => {
    const { targetId } = history;
    if (targetId === undefined) return;
    history.targetId = undefined;
    await clients.manager.deleteTarget({ params: { ...placeOf(history), targetId } });
  },
  deleteAndAdd: async ({ stack: { clients } }, history) => {
    const { spaceId: id, fqdnId, name } = history;
    await clients.manager.deleteFqdn({ params: { id, fqdnId } });
    history.fqdnId = (await addFqdn(clients, id, name)).id;
    history.targetId = undefined;
    history.messages.length = 0;
    history.watchedCertificate = undefined;
  },
  pass: async () => undefined,
};

const switchRenewal = ({ stack: { clients } }: Batch, history: History, renewalEnabled: boolean) =>
  clients.manager.setRenewalEnabled({ params: placeOf(history), body: { renewalEnabled } });

async function newestOf(batch: Batch, history: History): Promise<Certificate | undefined> {
  const { manager } = batch.stack.clients;
  return (await manager.listCertificates({ params: placeOf(history) })).body.at(-1);
}

/** Reports what the server of the name serves, as a probe outside of the service does. */
async function report({ stack }: Batch, history: History, chainPem: string | undefined): Promise<void> {
  if (chainPem === undefined) return;
  const { manager } = stack.clients;
  const params = placeOf(history);
  if (history.targetId === undefined) {
    const body = {
      host: history.name,
      mode: 'report',
      graceSeconds: history.random.pick([0, 3600]),
    } as const;
    history.targetId = (await manager.createTarget({ params, body })).body.id;
  }
  const { targetId } = history;
  const body = { address: '192.0.2.1', chainPem, observedAt: stack.clock.now().toISOString() };
  await manager.reportObservation({ params: { ...params, targetId }, body });
}
