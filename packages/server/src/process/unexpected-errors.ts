import { InvariantFailed } from '@certloop/contracts';
import type { Logger } from '../observability/logger.js';

let rejections = 0;

/** Rejections that nothing handled, since this process started. */
export function countedRejections(): number {
  return rejections;
}

export interface UnexpectedErrorsOptions {
  /** Undefined until the service has started. */
  readonly logger: () => Logger | undefined;
  /** Ends the process. */
  readonly end: (error: unknown) => void;
}

/**
 * Decides what an error does that no code handled. A rejection is logged and counted, and the process continues: it
 * belongs to one request or one run of a job. An exception ends the process, since any code may have stopped halfway; so
 * does a rejection by a failed invariant of the database, since what was stored is uncertain. Before the service has
 * started, every such error ends the start.
 */
export function watchUnexpectedErrors({ logger, end }: UnexpectedErrorsOptions): void {
  process.on('unhandledRejection', (error: unknown) => {
    rejections += 1;
    logger()?.error({ error }, 'process.unhandled_rejection');
    if (logger() === undefined || error instanceof InvariantFailed) end(error);
  });
  process.on('uncaughtException', (error: unknown) => {
    logger()?.fatal({ error }, 'process.uncaught_exception');
    end(error);
  });
}
