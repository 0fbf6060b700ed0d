import { created, ok, type SomeHandlers } from '../http/handlers.js';
import { pageHeaders } from '../http/page-headers.js';
import { type ConfigureDeps, setProviderConfig } from './changes/configure-provider.service.js';
import { createProvider } from './changes/create-provider.service.js';
import { type DeleteProviderDeps, deleteProvider } from './changes/delete-provider.service.js';
import { providerView } from './provider-view.js';
import {
  type ListProvidersDeps,
  type SwitchProviderDeps,
  setProviderEnabled,
  showProvider,
  showProviders,
  testProvider,
} from './providers.service.js';

export function providersHandlers(
  deps: ListProvidersDeps & ConfigureDeps & DeleteProviderDeps & SwitchProviderDeps,
) {
  return {
    listProviders: async ({ query, context }) => {
      const page = await showProviders(deps, context, query);
      const headers = pageHeaders(page, '/providers', query);
      return { status: 200, body: page.rows.map(providerView), headers };
    },
    getProvider: async ({ context, params }) => {
      return ok(providerView(await showProvider(deps, context, params.id)));
    },
    createProvider: async ({ context, body }) => {
      return created(providerView(await createProvider(deps, context, body)));
    },
    deleteProvider: async ({ context, params }) => {
      return ok({ message: await deleteProvider(deps, context, params.id) });
    },
    setProviderEnabled: async ({ context, params, body }) => {
      const message = await setProviderEnabled(deps, context, { id: params.id, enabled: body.enabled });
      return ok({ message });
    },
    setProviderConfig: async ({ context, params, body }) => {
      const message = await setProviderConfig(deps, context, { id: params.id, config: body.config });
      return ok({ message });
    },
    testProvider: async ({ context, params, body }) => {
      const depth = body?.deep === true ? 'deep' : 'shallow';
      return ok(await testProvider(deps, context, { id: params.id, depth }));
    },
  } satisfies SomeHandlers;
}
