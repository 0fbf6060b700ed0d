import type { Provider } from '@certloop/contracts/browser';
import { queryOptions } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { api } from './service.js';

/** All providers, enabled or not. */
export function useProviders() {
  return useQuery(queryOptions(api.listProviders));
}

/** All providers, with what asks each of them and how its last test ended. */
export function useProviderUsage() {
  return useQuery(queryOptions(api.listProviders, { query: { include: 'usage' } }));
}

/** Returns what people call a provider; an id that names none is one that was deleted. */
export function providerName(providers: readonly Provider[] | undefined, id: string | undefined): string {
  if (id === undefined) return 'none';
  if (providers === undefined) return '';
  return providers.find((provider) => provider.id === id)?.displayName ?? 'a deleted provider';
}
