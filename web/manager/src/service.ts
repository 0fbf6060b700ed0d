// The service of this console, and the session at it.

import { contract } from 'virtual:certloop/cert-manager';
import type { Me } from '@certloop/contracts/browser';
import {
  background,
  createPageClient,
  ofFrame,
  openTabChannel,
  queryOptions,
  Session,
} from '@certloop/web-kit';
import { dependencies } from './dependencies.js';

export const api = createPageClient(contract, {
  dependencies,
  // a token neither creates tokens nor ends sessions
  programsCallBy: (path) => (/\/(auth\/\w+|api-tokens(\/[^/]+)?)$/.test(path) ? 'cookies' : 'token'),
  csrf: {
    current: () => session.csrfToken(),
    refresh: async () => (await session.check(true))?.csrfToken,
  },
});

/** Query of what a page must know before anyone has signed in; it changes with the settings of the service only. */
export const stateQuery = {
  ...ofFrame(queryOptions(api.getAuthState)),
  staleTime: 60_000,
};

export const session: Session<Me> = new Session<Me>(
  {
    readMe: (isBackground) => api.getMe(isBackground ? { headers: background } : {}),
    closeSession: () => api.logout(),
    now: Date.now,
  },
  openTabChannel('manager'),
);
