import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { describeOwnPermissions, type OwnPermissionsDeps } from './own-permissions.service.js';

export function usersHandlers(
  deps: OwnPermissionsDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, 'getOwnPermissions'> {
  return {
    getOwnPermissions: async ({ context }) => ({
      status: 200,
      body: await describeOwnPermissions(deps, context),
    }),
  };
}
