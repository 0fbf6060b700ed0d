import type { Space } from '@certloop/contracts';

/** A space as the API shows it; `watchEnabled` only where it is false. */
export function spaceView(space: {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly unwatchedSince: Date | null;
}): Space {
  return {
    id: space.id,
    name: space.name,
    description: space.description,
    createdAt: space.createdAt.toISOString(),
    ...(space.unwatchedSince !== null && { watchEnabled: false }),
  };
}
