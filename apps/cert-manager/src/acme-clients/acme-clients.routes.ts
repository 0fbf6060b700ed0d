import { created, ok, type SomeHandlers } from '../http/handlers.js';
import { pageHeaders } from '../http/page-headers.js';
import { acmeClientView, type ShownClient } from './acme-client-view.js';
import {
  type AcmeClientDeps,
  createClientWithKey,
  deleteAcmeClient,
  rekeyAcmeClient,
} from './acme-clients.service.js';
import { listAcmeClients, type ShowClientDeps, showAcmeClient } from './show-acme-clients.service.js';
import { updateAcmeClient } from './update-acme-client.service.js';

export function acmeClientsHandlers(deps: AcmeClientDeps & ShowClientDeps) {
  const shown = (client: ShownClient) =>
    acmeClientView(client, { directoryUrl: deps.directory.url, now: deps.clock.now() });
  const shownAt = async (context: Parameters<typeof showAcmeClient>[1], row: ShownClient['row']) =>
    shown(await showAcmeClient(deps, context, row));
  return {
    createAcmeClient: async ({ params, body, context }) => {
      const { row, hmacKey, warnings } = await createClientWithKey(deps, context, { ...params, ...body });
      return created({ ...shown({ row, use: undefined }), hmacKey, warnings: [...warnings] });
    },
    listAcmeClients: async ({ params, query, context }) => {
      const page = await listAcmeClients(deps, context, { ...params, window: query });
      const headers = pageHeaders(page, `/spaces/${params.spaceId}/acme-clients`, query);
      return { status: 200, body: page.rows.map(shown), headers };
    },
    getAcmeClient: async ({ params, context }) => ok(shown(await showAcmeClient(deps, context, params))),
    updateAcmeClient: async ({ params, body, context }) =>
      ok(await shownAt(context, await updateAcmeClient(deps, context, { ...params, ...body }))),
    rekeyAcmeClient: async ({ params, context }) => {
      const { row, hmacKey, warnings } = await rekeyAcmeClient(deps, context, params);
      return ok({ ...(await shownAt(context, row)), hmacKey, warnings: [...warnings] });
    },
    deleteAcmeClient: async ({ params, context }) => {
      await deleteAcmeClient(deps, context, params);
      return ok({ message: 'ACME client deleted' });
    },
  } satisfies SomeHandlers;
}
