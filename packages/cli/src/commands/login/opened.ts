/** Object that a log-in created, and how to take it back. */
export interface Opened<T> {
  readonly value: T;
  /** Revokes what was created; never rejects. */
  readonly undo: () => Promise<void>;
}
