import type { AlertReach, Handlers, keysContract } from '@certloop/contracts';
import type { Caller } from './caller.js';
import { readProject, revokeKey } from './create-project.service.js';
import type { AccountDeps } from './create-user.service.js';

interface OwnKeyDeps extends AccountDeps {
  /** Whether the alerts of a project, or of its checks with a tag, reach people; integrations belong to a later slice. */
  readonly readReach: (projectId: string, tag: string | undefined) => Promise<AlertReach | undefined>;
}

export function ownKeyHandlers(deps: OwnKeyDeps): Handlers<typeof keysContract, Caller> {
  return {
    getOwnKey: async ({ context: { projectId, kind }, query: { include, tag } }) => {
      const { id, name } = await readProject(deps, projectId);
      const isShown = include === 'alerts' && kind === 'read-write';
      const alerts = isShown ? await deps.readReach(projectId, tag) : undefined;
      return { status: 200, body: { kind, project: { id, name }, ...(alerts !== undefined && { alerts }) } };
    },
    revokeOwnKey: async ({ context: { projectId, kind } }) => {
      await revokeKey(deps, projectId, kind);
      return { status: 204, body: undefined };
    },
  };
}
