// The service of this console, and the session at it.

import { contract as managementContract } from 'virtual:certloop/check-monitor';
import { contract } from 'virtual:certloop/check-monitor-account';
import { accountBasePath } from '@certloop/contracts/browser';
import {
  background,
  createPageClient,
  type Me,
  ofFrame,
  openTabChannel,
  queryOptions,
  Session,
} from '@certloop/web-kit';

const csrf = {
  current: () => session.csrfToken(),
  refresh: async () => (await session.check(true))?.csrfToken,
};

export const api = createPageClient(contract, {
  basePath: accountBasePath,
  csrf,
  programsCallBy: () => 'cookies',
});

/** The management API of a project, by the session. */
export function projectApi(projectId: string) {
  const basePath = `${accountBasePath}/projects/${projectId}/v3`;
  return createPageClient(managementContract, { basePath, csrf, programsCallBy: () => 'cookies' });
}

/** Query of what a page must know before anyone has signed in; it changes with the settings of the service only. */
export const stateQuery = {
  ...ofFrame(queryOptions(api.getState)),
  staleTime: 60_000,
};

/** Who is signed in, as the monitor describes them. */
export interface Member extends Me {
  readonly user: { readonly id: string; readonly email: string };
}

export const session: Session<Member> = new Session<Member>(
  {
    readMe: (isBackground) => api.getMe(isBackground ? { headers: background } : {}),
    closeSession: () => api.logout(),
    now: Date.now,
  },
  openTabChannel('monitor'),
);
