import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { type ApiTokensDeps, createApiToken, listApiTokens, revokeApiToken } from './api-tokens.service.js';
import { apiTokenView } from './user-view.js';

type TokenOperation = 'listApiTokens' | 'createApiToken' | 'deleteApiToken';

export function apiTokensHandlers(
  deps: ApiTokensDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, TokenOperation> {
  return {
    listApiTokens: async ({ context }) => ({
      status: 200,
      body: (await listApiTokens(deps, context)).map(apiTokenView),
    }),
    createApiToken: async ({ body, context }) => {
      const { row, text } = await createApiToken(deps, context, body);
      const { lastUsedAt: _at, lastUsedIp: _ip, ...shown } = apiTokenView(row);
      return { status: 201, body: { ...shown, token: text } };
    },
    deleteApiToken: async ({ params, context }) => {
      await revokeApiToken(deps, context, params.id);
      return { status: 200, body: { message: 'API token revoked' } };
    },
  };
}
