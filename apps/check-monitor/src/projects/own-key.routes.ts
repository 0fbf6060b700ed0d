import type { Handlers, keysContract } from '@certloop/contracts';
import type { Caller } from './caller.js';
import { readProject, revokeKey } from './create-project.service.js';
import type { AccountDeps } from './create-user.service.js';

export function ownKeyHandlers(deps: AccountDeps): Handlers<typeof keysContract, Caller> {
  return {
    getOwnKey: async ({ context: { projectId, kind } }) => {
      const { id, name } = await readProject(deps, projectId);
      return { status: 200, body: { kind, project: { id, name } } };
    },
    revokeOwnKey: async ({ context: { projectId, kind } }) => {
      await revokeKey(deps, projectId, kind);
      return { status: 204, body: undefined };
    },
  };
}
