import type { Provider } from '@certloop/contracts/browser';
import { useQuery } from '@tanstack/react-query';
import { api } from './service.js';

/** All providers, enabled or not. */
export function useProviders() {
  return useQuery<readonly Provider[]>({
    queryKey: ['providers'],
    queryFn: async ({ signal }) => (await api.listProviders({ signal })).body,
  });
}

/** All providers, with what asks each of them and how its last test ended. */
export function useProviderUsage() {
  return useQuery<readonly Provider[]>({
    queryKey: ['providers', 'usage'],
    queryFn: async ({ signal }) => (await api.listProviders({ query: { include: 'usage' }, signal })).body,
  });
}

/** Returns what people call a provider; an id that names none is one that was deleted. */
export function providerName(providers: readonly Provider[] | undefined, id: string | undefined): string {
  if (id === undefined) return 'none';
  if (providers === undefined) return '';
  return providers.find((provider) => provider.id === id)?.displayName ?? 'a deleted provider';
}
