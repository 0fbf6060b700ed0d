import { configure, createProvider, enable, providerOf } from '../../support/signing.js';
import { ask, read, requestsTo } from './asked.js';

/** Requests to the service itself, its providers and its audit log. */
export const serviceRequests = requestsTo({
  getHealth: (app) => read(app, '/health'),
  getLiveness: (app) => read(app, '/health/live'),
  getReadiness: (app) => read(app, '/health/ready'),
  getOpenApi: (app) => read(app, '/openapi.json'),
  getWatch: (app) => read(app, '/watch'),
  getStats: (app) => read(app, '/stats'),

  listProviders: (app) => read(app, '/providers'),
  getProvider: async (app) => read(app, `/providers/${(await providerOf(app, 'dummy-ca')).id}`),
  createProvider: async (app) => {
    const body = { kind: 'dummy-ca', name: 'contract', config: { baseUrl: 'https://8.8.8.8' } };
    return { answer: await ask(app, 'post', '/providers').send(body), leaves: 'provider.create' };
  },
  deleteProvider: async (app) => {
    const config = { baseUrl: 'https://8.8.8.8' };
    const { id } = await createProvider(app, { kind: 'dummy-ca', name: 'contract-too', config });
    return { answer: await ask(app, 'delete', `/providers/${id}`), leaves: 'provider.delete' };
  },
  setProviderEnabled: async (app) => ({
    answer: await enable(app, await providerOf(app, 'acme'), false).then(async () =>
      enable(app, await providerOf(app, 'dummy-ca'), true),
    ),
    leaves: 'provider.enable',
  }),
  setProviderConfig: async (app) => {
    const provider = await providerOf(app, 'dummy-ca');
    return { answer: await configure(app, provider, provider.config), leaves: 'provider.config' };
  },
  testProvider: async (app) => {
    const { id } = await providerOf(app, 'dummy-ca');
    return { answer: await ask(app, 'post', `/providers/${id}/test`), leaves: 'provider.test' };
  },

  listAuditLogs: (app) => read(app, '/audit-logs'),
  deleteAuditLogs: async (app) => ({
    answer: await ask(app, 'delete', '/audit-logs'),
    leaves: { nothingBecause: 'the log is empty afterwards; a table of its own records the act' },
  }),
  exportAuditLogs: async (app) => ({ ...(await read(app, '/audit-logs/export')), leaves: 'audit.export' }),
  listChanges: (app) => read(app, '/changes?since=0'),
  listAuditClearings: async (app) => {
    await ask(app, 'delete', '/audit-logs');
    return read(app, '/audit-logs/clearings');
  },
  createTestAuditLog: async (app) => ({
    answer: await ask(app, 'post', '/audit-logs/test'),
    leaves: 'audit.test',
  }),
});
