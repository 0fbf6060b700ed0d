import { AppError, type Fix } from '@certloop/contracts';
import { Interrupted, UsageError } from '../faults/command-errors.js';
import { describeFault, faultCode } from '../faults/system-fault.js';

/** Why a command line failed, for people and for programs. */
export interface Refusal {
  readonly exitCode: number;
  /** `usage`, `interrupted`, the code of the service, that of the system such as `ENOENT`, `failed`, or `unexpected`. */
  readonly code: string;
  /** Sentence that says what is wrong and what to do. */
  readonly message: string;
  /** Command and sentence that repair a CSR. */
  readonly fix?: Fix;
}

/** The refusal that an error stands for; `isLogin` where a credential was typed just now. */
export function refusalOf(error: unknown, isLogin: boolean): Refusal {
  if (error instanceof UsageError) return { exitCode: 2, code: 'usage', message: error.message };
  if (error instanceof Interrupted)
    return { exitCode: error.exitCode, code: 'interrupted', message: error.message };
  if (error instanceof AppError) {
    const isUnknownCaller = error.kind === 'unauthenticated' && !isLogin;
    const hint = isUnknownCaller
      ? '; check CERTLOOP_TOKEN or CERTLOOP_MONITOR_KEY, or run certloop login'
      : '';
    const { fix } = error;
    return {
      exitCode: 1,
      code: error.code,
      message: `${error.message}${hint}`,
      ...(fix !== undefined && { fix }),
    };
  }
  const code = faultCode(error);
  if (code !== undefined) return { exitCode: 1, code, message: describeFault(error) };
  if (isFaultOfOurs(error)) {
    const message = `unexpected fault: ${(error as Error).message}; run it again with --verbose and report what it prints`;
    return { exitCode: 1, code: 'unexpected', message };
  }
  return { exitCode: 1, code: 'failed', message: (error as Error).message };
}

/** Whether the program is wrong, and not what it was asked for. */
export function isFaultOfOurs(error: unknown): boolean {
  return (
    !(error instanceof Error) ||
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError
  );
}
