import type { OwnSpace, Space } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { levelOn } from '../access/permissions.js';

/** What is shown of a space. */
export interface ShownSpace {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly unwatchedSince: Date | null;
}

/** A space as the API shows it; `watchEnabled` only where it is false. */
export function spaceView(space: ShownSpace): Space {
  return {
    id: space.id,
    name: space.name,
    description: space.description,
    createdAt: space.createdAt.toISOString(),
    ...(space.unwatchedSince !== null && { watchEnabled: false }),
  };
}

/** A space with the caller's level, who may read it. */
export function ownSpaceView(space: ShownSpace, caller: Caller): OwnSpace {
  return { ...spaceView(space), level: levelOn(caller, space.id) ?? 'READ' };
}
