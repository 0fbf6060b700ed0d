import { InvariantFailed } from '@certloop/contracts';
import type { EntityManager } from 'typeorm';

type Work<T> = (tx: EntityManager) => Promise<T>;

/** Functions to call after the commit of each open transaction that writes. */
const followers = new WeakMap<EntityManager, (() => void)[]>();

/**
 * Calls `follow` once the transaction is committed, and never if it is not: for what only this process must know, such as
 * who waits for the change. A process that dies in between does not call it.
 */
export function afterCommit(tx: EntityManager, follow: () => void): void {
  const list = followers.get(tx);
  if (list === undefined) throw new InvariantFailed('only a transaction that writes has a commit');
  list.push(follow);
}

/** Returns what `write` returns for the work, after all that follows the commit of its last attempt. */
export async function withFollowers<T>(write: (work: Work<T>) => Promise<T>, work: Work<T>): Promise<T> {
  let list: (() => void)[] = [];
  const result = await write((tx) => {
    list = [];
    followers.set(tx, list);
    return work(tx);
  });
  for (const follow of list) follow();
  return result;
}
