import { fstatSync, write, writeSync } from 'node:fs';
import { LogOutput, type WriteBytes } from './log-output.js';

const standardOutput = 1;

/**
 * Standard output as the destination of log lines. Opened by its first line, since a logger of level `silent` needs none.
 */
export function logToStandardOutput(service: string): Pick<LogOutput, 'write' | 'flush'> {
  let opened: LogOutput | undefined;
  return {
    write: (lines) => {
      opened ??= open(service);
      opened.write(lines);
    },
    flush: (onIdle) => {
      if (opened === undefined) onIdle?.();
      else opened.flush(onIdle);
    },
  };
}

function open(service: string): LogOutput {
  const isStream = isPipe();
  const output = new LogOutput({ service, write: isStream ? writeToStream : writeToFile });
  process.once('exit', () => writeAtOnce(output.takeRest()));
  return output;
}

/** Whether another program reads it: `process.stdout` then writes without blocking, even if the reader stops. */
function isPipe(): boolean {
  try {
    const kind = fstatSync(standardOutput);
    return kind.isFIFO() || kind.isSocket();
  } catch {
    // it is closed: each write fails and is counted
    return false;
  }
}

let isGuarded = false;

const writeToStream: WriteBytes = (bytes, done) => {
  // the callback receives errors too, but without a listener they would end the process
  if (!isGuarded) process.stdout.on('error', () => undefined);
  isGuarded = true;
  process.stdout.write(bytes, (error) => done(error, error ? 0 : bytes.length));
};

/** For files and terminals, where `process.stdout` would block the event loop. */
const writeToFile: WriteBytes = (bytes, done) => write(standardOutput, bytes, 0, bytes.length, null, done);

/** Writes at the exit of the process what can be written without waiting. */
function writeAtOnce(bytes: Buffer): void {
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(standardOutput, bytes, written);
  } catch {
    // full, closed, or its reader does not read: nothing can report it any more
  }
}
