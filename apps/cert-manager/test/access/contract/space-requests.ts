import type { TestApp } from '../../support/app.js';
import { addAcmeClient } from '../../support/front/acme-clients.js';
import { newLineagePath } from '../../support/front/client-lineage.js';
import { addFqdn, addSpace, pathOf } from '../../support/inventory.js';
import { ask, newFqdn, read, requestsTo } from './asked.js';

/** A client in a space of its own, by its path. */
async function newClientPath(app: TestApp): Promise<string> {
  const { id: spaceId } = await addSpace(app);
  return `/spaces/${spaceId}/acme-clients/${(await addAcmeClient(app, spaceId)).id}`;
}

/** Requests about spaces and their FQDNs. */
export const spaceRequests = requestsTo({
  listSpaces: async (app) => {
    await addSpace(app);
    return read(app, '/spaces');
  },
  createSpace: async (app) => ({
    answer: await ask(app, 'post', '/spaces').send({ name: 'new' }),
    leaves: 'space.create',
  }),
  getSpace: async (app) => read(app, `/spaces/${(await addSpace(app)).id}`),
  updateSpace: async (app) => {
    const { id } = await addSpace(app);
    return { answer: await ask(app, 'put', `/spaces/${id}`).send({ name: 'other' }), leaves: 'space.update' };
  },
  listAllFqdns: async (app) => {
    await newFqdn(app);
    return read(app, '/fqdns?include=status&limit=5');
  },
  getOutlook: (app) => read(app, '/outlook'),
  getPublicReadiness: (app) => read(app, '/readiness?on=2029-03-15'),
  getExpiryTimeline: (app) => read(app, '/stats/expiry?bucket=week'),
  getInventory: async (app) => {
    await newFqdn(app);
    return read(app, '/inventory');
  },
  exportInventory: (app) => read(app, '/inventory.csv'),
  countFqdnStates: (app) => read(app, '/fqdns/counts'),
  reviewFqdns: async (app) => {
    const { spaceId } = await newFqdn(app);
    const sent = ask(app, 'post', `/spaces/${spaceId}/fqdns/review`).send({ names: ['a.example', 'b_c'] });
    return { answer: await sent, leaves: { nothingBecause: 'it only judges' } };
  },
  changeFqdns: async (app) => {
    const { id } = await newFqdn(app);
    const sent = ask(app, 'post', '/fqdns/bulk').send({ ids: [id], action: 'renewal-on', dryRun: false });
    return { answer: await sent, leaves: 'fqdn.renewal' };
  },
  updateFqdn: async (app) => {
    const { spaceId, id } = await newFqdn(app);
    const sent = ask(app, 'put', `/spaces/${spaceId}/fqdns/${id}`).send({ description: 'other' });
    return { answer: await sent, leaves: 'fqdn.update' };
  },
  getFqdn: async (app) => {
    const { spaceId, id } = await newFqdn(app);
    return read(app, `/spaces/${spaceId}/fqdns/${id}`);
  },
  setWatchEnabled: async (app) => {
    const { id } = await addSpace(app);
    const sent = app.request.put(`/spaces/${id}/watch-enabled`).set(app.people.ada.auth);
    return { answer: await sent.send({ watchEnabled: false }), leaves: 'space.watch' };
  },
  listSharedNames: (app) => read(app, '/shared-names'),
  getIssuancePolicy: async (app) => read(app, `/spaces/${(await addSpace(app)).id}/issuance-policy`),
  setIssuancePolicy: async (app) => {
    const { id } = await addSpace(app);
    const allowedNames = {
      names: ['a.test'],
      suffixes: ['test'],
      wildcards: true,
      cidrs: [],
      beyondFqdn: false,
    };
    const answer = await ask(app, 'put', `/spaces/${id}/issuance-policy`).send({ allowedNames });
    return { answer, leaves: 'space.policy' };
  },
  deleteSpace: async (app) => {
    const { id } = await addSpace(app);
    return { answer: await ask(app, 'delete', `/spaces/${id}`), leaves: 'space.delete' };
  },

  createAcmeClient: async (app) => {
    const { id } = await addSpace(app);
    const body = { name: 'web-7', names: { names: ['www.example.com'] } };
    const answer = await ask(app, 'post', `/spaces/${id}/acme-clients`).send(body);
    return { answer, leaves: 'acme_client.create' };
  },
  listAcmeClients: async (app) => read(app, (await newClientPath(app)).replace(/\/[^/]+$/, '')),
  getAcmeClient: async (app) => read(app, await newClientPath(app)),
  updateAcmeClient: async (app) => {
    const answer = await ask(app, 'put', await newClientPath(app)).send({ maxAccounts: 5 });
    return { answer, leaves: 'acme_client.change' };
  },
  rekeyAcmeClient: async (app) => ({
    answer: await ask(app, 'post', `${await newClientPath(app)}/key`),
    leaves: 'acme_client.rekey',
  }),
  deleteAcmeClient: async (app) => ({
    answer: await ask(app, 'delete', await newClientPath(app)),
    leaves: 'acme_client.delete',
  }),

  listLineages: async (app) => {
    const fqdn = await newFqdn(app);
    await newLineagePath(app, fqdn);
    return read(app, pathOf(fqdn, 'acme-lineages'));
  },
  releaseLineage: async (app) => ({
    answer: await ask(app, 'post', await newLineagePath(app, await newFqdn(app))),
    leaves: 'acme_client.release',
  }),

  countFqdns: async (app) => read(app, `/spaces/${(await addSpace(app)).id}/fqdns/count`),
  listFqdns: async (app) => {
    const { id } = await addSpace(app);
    await addFqdn(app, id);
    return read(app, `/spaces/${id}/fqdns`);
  },
  createFqdn: async (app) => {
    const { id } = await addSpace(app);
    const answer = await ask(app, 'post', `/spaces/${id}/fqdns`).send({ fqdn: 'new.example.com' });
    return { answer, leaves: 'fqdn.create' };
  },
  deleteSpaceFqdns: async (app) => {
    const { spaceId } = await newFqdn(app);
    return { answer: await ask(app, 'delete', `/spaces/${spaceId}/fqdns`), leaves: 'fqdn.deleteAll' };
  },
  deleteFqdn: async (app) => {
    const { spaceId, id } = await newFqdn(app);
    return { answer: await ask(app, 'delete', `/spaces/${spaceId}/fqdns/${id}`), leaves: 'fqdn.delete' };
  },
  deleteAllFqdns: async (app) => {
    await newFqdn(app);
    return { answer: await ask(app, 'delete', '/fqdns?confirm=true'), leaves: 'fqdn.deleteAll' };
  },
  setRenewalEnabled: async (app) => {
    const path = pathOf(await newFqdn(app), 'renewal-enabled');
    return { answer: await ask(app, 'put', path).send({ renewalEnabled: true }), leaves: 'fqdn.renewal' };
  },
  setExpiryAccepted: async (app) => {
    const path = pathOf(await newFqdn(app), 'expiry-accepted');
    return { answer: await ask(app, 'put', path).send({ accepted: false }), leaves: 'fqdn.expiry' };
  },
});
