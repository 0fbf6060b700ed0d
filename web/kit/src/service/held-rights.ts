/** Right of the user on each loaded object that has one: the level on a space, or the role in a project. */
export type HeldRights = ReadonlyMap<string, unknown>;

/** Rights in loaded objects, by the key of each; lists are omitted, since their rows are about other users too. */
export function heldRights(loaded: Iterable<readonly [key: string, data: unknown]>): HeldRights {
  const rights = new Map<string, unknown>();
  for (const [key, data] of loaded) {
    const { level, role = level } = (data ?? {}) as { readonly level?: unknown; readonly role?: unknown };
    if (role !== undefined) rights.set(key, role);
  }
  return rights;
}

/** Whether an object says something else than before. One that is gone says nothing. */
export function haveRightsChanged(before: HeldRights, after: HeldRights): boolean {
  return [...before].some(([key, right]) => after.has(key) && after.get(key) !== right);
}
