import { createHash } from 'node:crypto';
import type { DbDeps } from '../../db-deps.js';
import { ok, type SomeHandlers } from '../../http/handlers.js';
import { deleteAvatar, getAvatar, replaceAvatar } from './avatars.service.js';

export function avatarsHandlers(deps: DbDeps) {
  return {
    getAvatar: async ({ params }) => {
      const body = await getAvatar(deps, params.id);
      // the browser caches the picture and revalidates it each time
      return { status: 200, body, headers: { ETag: tagOf(body), 'Cache-Control': 'private, no-cache' } };
    },
    uploadAvatar: async ({ params, body, context }) => {
      await replaceAvatar(deps, context, { userId: params.id, bytes: body.file.bytes });
      return ok({ message: 'avatar stored' });
    },
    deleteAvatar: async ({ params, context }) => {
      await deleteAvatar(deps, context, params.id);
      return ok({ message: 'avatar deleted' });
    },
  } satisfies SomeHandlers;
}

/** Entity tag of the octets (RFC 9110 §8.8.3). */
function tagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}
