import type { AlertedPing } from './alert-event.js';

const words: Readonly<Record<AlertedPing['signal'], string>> = {
  success: 'Success',
  fail: 'Failure',
  start: 'Start',
  log: 'Log',
  ign: 'Ignored',
};

/** Kind of a ping for people. An exit status counts only where it made the ping a failure. */
export function spokenSignal({ signal, exitStatus }: Pick<AlertedPing, 'signal' | 'exitStatus'>): string {
  const isExit = signal === 'fail' && exitStatus !== null && exitStatus > 0;
  return isExit ? `Exit status ${exitStatus}` : words[signal];
}
