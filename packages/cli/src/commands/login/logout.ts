import { Unauthenticated } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import { type Context, requireContext, withContext } from '../../connection/contexts.js';
import { changeContexts, readContexts } from '../../connection/contexts.store.js';
import { managerAt, monitorAt, type Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { contextName } from './login.js';

/** Adds `logout`. */
export function addLogout(program: Command, open: () => Session): void {
  program
    .command('logout')
    .description(
      'Log out of a context: revoke the token and the key that the log-in created, and delete them here',
    )
    .option('--keep-token', 'only delete them here, without revoking them')
    .action(({ keepToken = false }) => logout(open(), keepToken));
}

/** How the log-in at one service ends. */
interface End {
  readonly service: 'certManager' | 'checkMonitor';
  /** Result for it, as a part of a sentence. */
  readonly sentence: string;
  /** Why it did not end. */
  readonly error?: Error;
}

/** A service that cannot be reached keeps its part of the log-in, and the others end. */
async function logout(session: Session, keepToken: boolean): Promise<void> {
  const { io, report } = session;
  const contexts = await readContexts(io.env);
  const name = contextName(session, contexts);
  const isMissing = session.context === undefined && contexts.contexts[name] === undefined;
  const context = isMissing ? {} : requireContext(contexts, name);
  const ends = await endAll(session, context, keepToken);
  if (ends.length === 0) throw new UsageError(`there is no log-in to end in context ${name}`);
  const ended = new Set(ends.filter(({ error }) => error === undefined).map(({ service }) => service));
  await changeContexts(io.env, (now) => {
    const { certManager, checkMonitor, ...rest } = now.contexts[name] ?? {};
    return withContext(now, name, {
      ...rest,
      ...(certManager && !ended.has('certManager') && { certManager }),
      ...(checkMonitor && !ended.has('checkMonitor') && { checkMonitor }),
    });
  });
  const failed = ends.filter(({ error }) => error !== undefined);
  const done = ends.filter(({ error }) => error === undefined).map(({ sentence }) => sentence);
  if (failed.length > 0) {
    const [{ error } = failed[0] as End] = failed;
    for (const sentence of done) report.warn(sentence);
    throw Object.assign(error as Error, {
      message: `${error?.message}; log out again later, or forget it here with --keep-token`,
    });
  }
  report.done(done.join('; '), { context: name, ended: [...ended] });
}

async function endAll({ fetchFrom }: Session, context: Context, keepToken: boolean): Promise<End[]> {
  const { certManager, checkMonitor } = context;
  const ends: End[] = [];
  if (certManager !== undefined) {
    const { url, token, tokenId } = certManager;
    const manager = managerAt(url, token, fetchFrom('cert-manager'));
    const revoke = keepToken || tokenId === undefined ? undefined : () => manager.deleteOwnApiToken();
    ends.push(await end('certManager', `token at ${url}`, revoke));
  }
  if (checkMonitor !== undefined) {
    const { url, readWriteKey, isOwn } = checkMonitor;
    const isRevoked = !keepToken && isOwn === true && readWriteKey !== undefined;
    const revoke = isRevoked
      ? () => monitorAt(url, readWriteKey, fetchFrom('check-monitor')).revokeOwnKey()
      : undefined;
    ends.push(await end('checkMonitor', `key of ${context.project ?? 'the project'} at ${url}`, revoke));
  }
  return ends;
}

async function end(
  service: End['service'],
  what: string,
  revoke: (() => Promise<unknown>) | undefined,
): Promise<End> {
  if (revoke === undefined) return { service, sentence: `forgot the ${what}, which stays valid` };
  try {
    await revoke();
  } catch (error) {
    // one that is revoked or has expired is gone as wanted
    if (!(error instanceof Unauthenticated)) return { service, sentence: '', error: error as Error };
  }
  return { service, sentence: `revoked the ${what}` };
}
