import { AppError } from '@certloop/contracts';
import type { Logger } from '../observability/logger.js';
import { ConfigError } from './config.js';
import { StartFailed } from './listen.js';
import { watchUnexpectedErrors } from './unexpected-errors.js';

/** Registers what must be closed; closing happens in reverse order. */
export type OnClose = (close: () => Promise<void>) => void;

/**
 * Runs a service until SIGTERM or SIGINT, or until the process that started it with a channel is gone; then
 * closes its parts in reverse order and exits 0. A start that fails is one line on standard error and exit
 * code 1. A second signal, or parts that do not close within 20 s, end the process with code 1; so does an uncaught
 * exception, after its parts are closed.
 */
export async function runService(name: string, start: (onClose: OnClose) => Promise<Logger>): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  let logger: Logger | undefined;
  let stopping = false;

  const stop = async (reason: string, exitCode = 0) => {
    stopping = true;
    setTimeout(() => process.exit(1), 20_000).unref();
    logger?.info({ reason }, 'service.stopping');
    const failed = await closeAll(closers, logger);
    const code = failed ? 1 : exitCode;
    logger?.info({ reason, exitCode: code }, 'service.stopped');
    await writeLog(logger);
    process.exit(code);
  };
  const onSignal = (signal: string) => {
    if (stopping) process.exit(1);
    void stop(signal);
  };
  watchUnexpectedErrors({
    logger: () => logger,
    end: (error) => {
      if (logger === undefined) process.stderr.write(`${name}: ${startSentence(error)}\n`);
      if (stopping || logger === undefined) process.exit(1);
      void stop('unexpected error', 1);
    },
  });
  // a reader that is gone, or a full disk, ends no service
  process.stderr.on('error', () => undefined);
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('disconnect', () => {
    if (!stopping) void stop('disconnect');
  });

  try {
    logger = await start((close) => closers.push(close));
    process.send?.({ started: name });
  } catch (error) {
    process.stderr.write(`${name}: ${startSentence(error)}\n`);
    await closeAll(closers, logger);
    process.exit(1);
  }
}

// a reader of the log that does not read does not delay the end any longer
const logMs = 2_000;

async function writeLog(logger: Logger | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, logMs);
  });
  const written = new Promise<void>((resolve) => {
    if (logger === undefined) resolve();
    else logger.flush(() => resolve());
  });
  await Promise.race([written, late]);
  clearTimeout(timer);
}

async function closeAll(
  closers: readonly (() => Promise<void>)[],
  logger: Logger | undefined,
): Promise<boolean> {
  let failed = false;
  for (const close of [...closers].reverse()) {
    try {
      await close();
    } catch (error) {
      failed = true;
      logger?.error({ error }, 'service.close_failed');
    }
  }
  return failed;
}

function startSentence(error: unknown): string {
  const expected = error instanceof StartFailed || error instanceof ConfigError || error instanceof AppError;
  if (expected) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
