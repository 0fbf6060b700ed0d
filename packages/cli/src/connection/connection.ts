import { readFile } from 'node:fs/promises';
import { UsageError } from '../faults/command-errors.js';
import { describeFault } from '../faults/system-fault.js';
import type { Io } from '../io.js';
import { addressForm, isAddress, isSecret } from './connection-values.js';
import { type Connection, type Context, parseConnection, requireContext } from './contexts.js';
import { readContexts } from './contexts.store.js';

/** A connection with its defaults, and the name of the context that it comes from. */
export interface Resolved extends Context {
  /** Absent where CERTLOOP_CREDENTIALS replaces contexts, and before the first log-in. */
  readonly context?: string | undefined;
}

/**
 * Returns the connection that the environment describes, service by service, else the file that CERTLOOP_CREDENTIALS
 * names, else the context that is named by `--context`, CERTLOOP_CONTEXT or `contexts use`. The defaults of a context
 * count only for its own services. Throws UsageError naming what is missing or wrong.
 */
export async function readConnection({ env }: Io, named?: string): Promise<Resolved> {
  const stored = await readStored(env, named);
  const certManager = pairOf(env, 'CERTLOOP_URL', 'CERTLOOP_TOKEN');
  const checkMonitor = monitorOf(env);
  const dummyCa = env['CERTLOOP_CA_URL'] || undefined;
  if (dummyCa !== undefined && !isAddress(dummyCa))
    throw new UsageError(`CERTLOOP_CA_URL is not an address: ${dummyCa}; ${addressForm}`);
  const space = env['CERTLOOP_SPACE'] || (certManager === undefined ? stored.space : undefined);
  const project = env['CERTLOOP_PROJECT'] || (checkMonitor === undefined ? stored.project : undefined);
  const email = env['CERTLOOP_MONITOR_EMAIL'] || undefined;
  return {
    ...stored,
    ...(stored.checkMonitor && email && { checkMonitor: { ...stored.checkMonitor, email } }),
    ...(certManager && { certManager: { url: certManager[0], token: certManager[1] } }),
    ...(checkMonitor && { checkMonitor }),
    ...(dummyCa && { dummyCa: { url: dummyCa } }),
    space,
    project,
  };
}

/** With a key, an account, or both. */
function monitorOf(env: Io['env']): Connection['checkMonitor'] {
  const email = env['CERTLOOP_MONITOR_EMAIL'] || undefined;
  const account = email === undefined ? {} : { email };
  const url = env['CERTLOOP_MONITOR_URL'] || undefined;
  if (email !== undefined && url !== undefined && !env['CERTLOOP_MONITOR_KEY'] && isAddress(url))
    return { url, ...account };
  const [address, readWriteKey] = pairOf(env, 'CERTLOOP_MONITOR_URL', 'CERTLOOP_MONITOR_KEY') ?? [];
  if (address === undefined || readWriteKey === undefined) return undefined;
  return { url: address, readWriteKey, ...account };
}

/** Variables of the environment that replace a context, or of a part of it. */
const winning = ['CERTLOOP_CREDENTIALS', 'CERTLOOP_URL', 'CERTLOOP_MONITOR_URL', 'CERTLOOP_CA_URL'] as const;

/** Returns the variables of these that are set. */
export function winningVariables(env: Io['env']): string[] {
  return winning.filter((name) => env[name]);
}

async function readStored(env: Io['env'], named: string | undefined): Promise<Resolved> {
  const file = env['CERTLOOP_CREDENTIALS'];
  if (file) return readCredentials((name) => readFile(name, 'utf8'), file, 'CERTLOOP_CREDENTIALS');
  const contexts = await readContexts(env);
  const wanted = named ?? (env['CERTLOOP_CONTEXT'] || undefined);
  if (wanted !== undefined) return { ...requireContext(contexts, wanted), context: wanted };
  const current = contexts.contexts[contexts.current];
  return current === undefined ? {} : { ...current, context: contexts.current };
}

/** Reads a credentials file; `option` is what names it. Throws UsageError without the text of the file. */
export async function readCredentials(
  readText: Io['readText'],
  file: string,
  option: string,
): Promise<Connection> {
  const text = await readText(file).catch((error: unknown) => {
    throw new UsageError(`${option}: ${describeFault(error, file)}`);
  });
  const found = parseConnection(text);
  if (found === undefined)
    throw new UsageError(
      `${option}: ${file} is not a credentials file, such as data/credentials.json of npm start`,
    );
  return found;
}

function pairOf(env: Io['env'], address: string, secret: string): [string, string] | undefined {
  const [url, key] = [env[address] || undefined, env[secret] || undefined];
  if (url === undefined && key === undefined) return undefined;
  if (url === undefined) throw new UsageError(`${secret} is set, but not ${address}`);
  if (key === undefined) throw new UsageError(`${address} is set, but not ${secret}`);
  if (!isAddress(url)) throw new UsageError(`${address} is not an address: ${url}; ${addressForm}`);
  if (!isSecret(key)) throw new UsageError(`${secret} contains spaces or characters that are not allowed`);
  return [url, key];
}
