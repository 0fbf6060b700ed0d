import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Io } from '../io.js';
import { describeFault, faultCode } from '../system-fault.js';
import { UsageError } from '../usage-error.js';

const addressSchema = z.string().refine(isAddress);
const secretSchema = z.string().refine(isSecret);

const connectionSchema = z.object({
  certManager: z
    .object({
      url: addressSchema,
      token: secretSchema,
      tokenId: z.string().optional(),
      username: z.string().optional(),
    })
    .optional(),
  checkMonitor: z
    .object({
      url: addressSchema,
      readWriteKey: secretSchema.optional(),
      /** Of the account, for what no key may do; the password is asked for where it is absent. */
      email: z.string().optional(),
      password: z.string().optional(),
    })
    .optional(),
  dummyCa: z.object({ url: addressSchema }).optional(),
});

/** Where the services are and what lets one in; the credentials file that `npm start` writes reads as one. */
export type Connection = z.output<typeof connectionSchema>;

/** The file that stores a log-in. */
export function loginFile(env: Io['env']): string {
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? homedir(), '.config');
  return join(base, 'certloop', 'login.json');
}

/**
 * What the environment says, service by service, else the file that CERTLOOP_CREDENTIALS names, else the log-in.
 * Throws UsageError naming what is missing or wrong.
 */
export async function readConnection({ env }: Io): Promise<Connection> {
  const named = env['CERTLOOP_CREDENTIALS'];
  const file = named || loginFile(env);
  const stored = await readFileOf(file, named !== undefined && named !== '');
  const certManager = pairOf(env, 'CERTLOOP_URL', 'CERTLOOP_TOKEN');
  const monitorEmail = env['CERTLOOP_MONITOR_EMAIL'] || undefined;
  const checkMonitor = monitorOf(env, monitorEmail);
  const dummyCa = env['CERTLOOP_CA_URL'] || undefined;
  if (dummyCa !== undefined && !isAddress(dummyCa))
    throw new UsageError(`CERTLOOP_CA_URL is no address: ${dummyCa}`);
  return {
    ...stored,
    ...(certManager && { certManager: { url: certManager[0], token: certManager[1] } }),
    ...(checkMonitor && { checkMonitor }),
    ...(dummyCa && { dummyCa: { url: dummyCa } }),
  };
}

/** With a key, an account, or both. */
function monitorOf(env: Io['env'], email: string | undefined): Connection['checkMonitor'] {
  const account = email === undefined ? {} : { email };
  const url = env['CERTLOOP_MONITOR_URL'] || undefined;
  if (email !== undefined && url !== undefined && !env['CERTLOOP_MONITOR_KEY'] && isAddress(url))
    return { url, ...account };
  const [address, readWriteKey] = pairOf(env, 'CERTLOOP_MONITOR_URL', 'CERTLOOP_MONITOR_KEY') ?? [];
  if (address === undefined || readWriteKey === undefined) return undefined;
  return { url: address, readWriteKey, ...account };
}

/** Whether a text is the address of a service, such as https://certs.example.org. */
export function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Whether a text may be a token or a key, which a header can carry. */
function isSecret(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function pairOf(env: Io['env'], address: string, secret: string): [string, string] | undefined {
  const [url, key] = [env[address] || undefined, env[secret] || undefined];
  if (url === undefined && key === undefined) return undefined;
  if (url === undefined) throw new UsageError(`${secret} is set, but not ${address}`);
  if (key === undefined) throw new UsageError(`${address} is set, but not ${secret}`);
  if (!isAddress(url)) throw new UsageError(`${address} is no address: ${url}`);
  if (!isSecret(key)) throw new UsageError(`${secret} holds blanks or signs that none has`);
  return [url, key];
}

async function readFileOf(file: string, isNamed: boolean): Promise<Connection> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    if (faultCode(error) === 'ENOENT' && !isNamed) return {};
    const name = isNamed ? 'CERTLOOP_CREDENTIALS: ' : '';
    throw new UsageError(`${name}${describeFault(error, file)}`);
  }
  const parsed = connectionSchema.safeParse(jsonOf(content));
  if (!parsed.success) throw new UsageError(`${file} is not a log-in of certloop`);
  return parsed.data;
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** A place for a log-in that is proven to be writable. */
export interface LoginPlace {
  /** Stores the log-in, readable by its owner only, whole or not at all. */
  store(connection: Connection): Promise<void>;
  /** Leaves the folder as it was. */
  abandon(): Promise<void>;
}

/** Throws UsageError when a log-in could not be stored. */
export async function prepareLogin(env: Io['env']): Promise<LoginPlace> {
  const file = loginFile(env);
  const draft = `${file}.new`;
  const writeDraft = async (content: string) => {
    await writeFile(draft, content, { mode: 0o600 });
    // the mode above counts for a new file only
    await chmod(draft, 0o600);
  };
  const orRefuse = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      throw new UsageError(
        `the log-in cannot be stored: ${describeFault(error, file)}; set XDG_CONFIG_HOME to a folder that you may write`,
      );
    }
  };
  await orRefuse(async () => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeDraft('');
  });
  return {
    store: (connection) =>
      orRefuse(async () => {
        await writeDraft(`${JSON.stringify(connection, null, 2)}\n`);
        await rename(draft, file);
      }),
    abandon: () => rm(draft, { force: true }),
  };
}

export async function forgetLogin(env: Io['env']): Promise<void> {
  await rm(loginFile(env), { force: true });
}
