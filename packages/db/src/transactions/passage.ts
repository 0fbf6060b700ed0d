import { AsyncLocalStorage } from 'node:async_hooks';

const closeMs = 10_000;

/** Knows who is inside: refuses a second pass by the same caller, and every pass once closed. */
export class Passage {
  private readonly caller = new AsyncLocalStorage<{ isInside: boolean }>();
  private readonly visits = new Set<Promise<unknown>>();
  private closed: Promise<void> | undefined;

  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.closed !== undefined) throw new Error('the database is closed');
    if (this.caller.getStore()?.isInside === true) {
      throw new Error('inside a transaction or read: use its tx, or begin after its end');
    }
    const visitor = { isInside: true };
    const visit = this.caller.run(visitor, work);
    this.visits.add(visit);
    try {
      return await visit;
    } finally {
      visitor.isInside = false;
      this.visits.delete(visit);
    }
  }

  close(release: () => Promise<void>): Promise<void> {
    // a store that is not shut off costs every promise of the process, also after the last one who is inside
    this.closed ??= this.settled()
      .then(release)
      .finally(() => this.caller.disable());
    return this.closed;
  }

  private async settled(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeMs);
    });
    await Promise.race([Promise.allSettled(this.visits), late]);
    clearTimeout(timer);
  }
}
