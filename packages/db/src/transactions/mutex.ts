/** Lets one caller at a time through, in the order of their coming. */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  /** What `work` returns or throws, run once every earlier caller is through. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work);
    // the next caller waits for the end, not for the success
    this.last = turn.catch(() => undefined);
    return turn;
  }
}
