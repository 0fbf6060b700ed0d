// The service of this console, and the session at it.

import { contract } from 'virtual:certloop/cert-manager';
import type { Me } from '@certloop/contracts/browser';
import { background, createPageClient, openTabChannel, Session } from '@certloop/web-kit';

export const api = createPageClient(contract, {
  // a token neither creates tokens nor ends sessions
  programsCallBy: (path) => (/\/(auth\/\w+|api-tokens(\/[^/]+)?)$/.test(path) ? 'cookies' : 'token'),
  csrf: {
    current: () => session.csrfToken(),
    refresh: async () => (await session.check(true))?.csrfToken,
  },
});

/** Query of what a page must know before anyone has signed in; it changes with the settings of the service only. */
export const stateQuery = {
  queryKey: ['state'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => (await api.getAuthState({ signal })).body,
  staleTime: 60_000,
  meta: { isOfFrame: true },
};

export const session: Session<Me> = new Session<Me>(
  {
    readMe: (isBackground) => api.getMe(isBackground ? { headers: background } : {}),
    closeSession: () => api.logout(),
    now: Date.now,
  },
  openTabChannel('manager'),
);
