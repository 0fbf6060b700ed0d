import { constants } from 'node:os';

/** Ctrl-C was pressed, or the system asked the command to end, before it was done. */
export class Interrupted extends Error {
  /** As shells show it: 130 after Ctrl-C. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super('interrupted');
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** The command was not understood; its message says why. */
export class UsageError extends Error {}
