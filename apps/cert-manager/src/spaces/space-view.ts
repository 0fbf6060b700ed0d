import type { Space } from '@certloop/contracts';

/** Space with what is shown of it. */
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
