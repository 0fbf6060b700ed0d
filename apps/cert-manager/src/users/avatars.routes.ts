import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { type AvatarsDeps, getAvatar, replaceAvatar } from './avatars.service.js';

export function avatarsHandlers(
  deps: AvatarsDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, 'getAvatar' | 'uploadAvatar'> {
  return {
    getAvatar: async ({ params }) => ({ status: 200, body: await getAvatar(deps, params.id) }),
    uploadAvatar: async ({ params, body, context }) => {
      await replaceAvatar(deps, context, { userId: params.id, bytes: body.file.bytes });
      return { status: 200, body: { message: 'avatar stored' } };
    },
  };
}
