import { randomUUID } from 'node:crypto';
import { repeat } from '../connection/repeat.js';
import type { Session } from '../connection/session.js';
import type { Io } from '../io.js';
import { execute } from './execute.js';
import { pingAddress, sendPing } from './pings.js';

/** A command, and what of its environment it may see. */
export interface WatchedJob {
  readonly check: string;
  readonly command: readonly string[];
  readonly passCredentials: boolean;
}

/**
 * Runs a command between a start ping and an end ping of one run; resolves to the command's exit code. Both pings are
 * repeated. The command starts after the first attempt of the start ping, whatever its result, and its exit code stays
 * when the end ping does not arrive.
 */
export async function runWatched(session: Session, job: WatchedJob): Promise<number> {
  const { io, activity } = session;
  activity.mute();
  const rid = randomUUID();
  let address: string | undefined;
  const send = async (action: string | number, body: string) => {
    address ??= await pingAddress(session, job.check);
    await sendPing(session, `${address}/${action}?rid=${rid}`, body);
  };
  const say = (ping: string) => (error: Error) =>
    void io.err.write(`certloop: the ${ping} ping was not delivered: ${error.message}\n`);

  const commandEnded = new AbortController();
  let started = Promise.resolve();
  await new Promise<void>((tried) => {
    started = repeat(io, () => send('start', ''), { stop: commandEnded.signal, failed: () => tried() })
      .catch(say('start'))
      .finally(tried);
  });
  const env = job.passCredentials ? io.env : withoutSecrets(io.env);
  const { code, output } = await execute(io, job.command, env);
  commandEnded.abort();
  // one under way must not arrive after the end
  await started;
  await sendEnd(session, () => send(code, output)).catch(say('end'));
  return code;
}

/** The environment without the secrets of certloop: a job that prints its environment would send them to the monitor. */
export function withoutSecrets(env: Io['env']): Io['env'] {
  const isSecret = (name: string) => /^CERTLOOP_\w*(TOKEN|KEY|PASSWORD|SECRET)$/i.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name)));
}

/** A signal during the pauses gives up. */
async function sendEnd({ io }: Session, send: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const release = io.onSignal(() => stop.abort());
  try {
    await repeat(io, send, { stop: stop.signal });
  } finally {
    release();
  }
}
