import { created, ok, type SomeHandlers } from '../../http/handlers.js';
import type { ProofDeps } from '../sessions/prove-password.service.js';
import { requireRecentPassword } from '../sessions/recent-password.service.js';
import { apiTokenView } from '../user-view.js';
import type { ApiTokenRow } from './api-token.js';
import { createApiToken, listApiTokens } from './api-tokens.service.js';
import {
  listUserApiTokens,
  revokeApiToken,
  revokeOwnApiToken,
  revokeUserApiToken,
} from './revoke-api-tokens.service.js';
import { succeedApiToken } from './succeed-api-token.service.js';

const revoked = { status: 200, body: { message: 'API token revoked' } } as const;

export function apiTokensHandlers(deps: ProofDeps) {
  return {
    listApiTokens: async ({ context }) => ok((await listApiTokens(deps, context)).map(apiTokenView)),
    createApiToken: async ({ body: { password, ...wanted }, context }) => {
      await requireRecentPassword(deps, context, password);
      return created(newTokenView(await createApiToken(deps, context, wanted)));
    },
    succeedApiToken: async ({ context }) => created(newTokenView(await succeedApiToken(deps, context))),
    deleteOwnApiToken: async ({ context }) => {
      await revokeOwnApiToken(deps, context);
      return revoked;
    },
    deleteApiToken: async ({ params, context }) => {
      await revokeApiToken(deps, context, params.id);
      return revoked;
    },
    listUserApiTokens: async ({ params, context }) =>
      ok((await listUserApiTokens(deps, context, params.id)).map(apiTokenView)),
    deleteUserApiToken: async ({ params, context }) => {
      await revokeUserApiToken(deps, context, { userId: params.id, id: params.tokenId });
      return revoked;
    },
  } satisfies SomeHandlers;
}

function newTokenView({ row, text }: { readonly row: ApiTokenRow; readonly text: string }) {
  const { lastUsedAt: _at, lastUsedIp: _ip, ...shown } = apiTokenView(row);
  return { ...shown, token: text };
}
