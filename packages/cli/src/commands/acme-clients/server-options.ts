import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import type { ExternalAccount } from '../../acme/acme-account.js';
import type { AcmeCalls } from '../../acme/acme-http.js';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { version } from '../../version.js';
import { findAcmeClient } from './client-lookup.js';

/** An ACME client by its name in a space, or by what its machine has of it. */
export interface ServerOptions {
  readonly client?: string;
  readonly space?: string;
  readonly directory?: string;
  readonly kid?: string;
  readonly hmacKeyFile?: string;
  readonly ca?: string;
}

const shared = () => [
  new Option('--client <client>', 'ACME client of a space, by name or id; it needs a log-in'),
  new Option('-s, --space <space>', 'space of --client, by name or id'),
  new Option('--directory <url>', 'address of the directory, instead of --client'),
  new Option('--kid <kid>', 'identifier of the key, instead of --client'),
  new Option('--hmac-key-file <file>', 'file whose first line is the key; - is standard input'),
  new Option('--ca <file>', 'trust these roots too: a PEM file'),
];

/** Adds the options that name an ACME client and how its server is reached. */
export function withServerOptions<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
): Command<Args, Opts & ServerOptions> {
  for (const option of shared()) command.addOption(option);
  return command as unknown as Command<Args, Opts & ServerOptions>;
}

/** The directory and the identifier of the key. Throws UsageError where they are not known. */
async function serverIn(
  session: Session,
  { client, space, directory, kid }: ServerOptions,
): Promise<{ readonly directoryUrl: string; readonly kid: string | undefined }> {
  if (client !== undefined) {
    if (space === undefined) throw new UsageError('--client requires --space');
    const found = await findAcmeClient(session, client, space);
    return { directoryUrl: directory ?? found.directoryUrl, kid: kid ?? found.kid };
  }
  if (directory === undefined) throw new UsageError('name the --directory, or a --client with its --space');
  if (!URL.canParse(directory) || !/^https?:$/.test(new URL(directory).protocol))
    throw new UsageError(`--directory: ${directory} is not an address of http or https`);
  return { directoryUrl: directory, kid };
}

/** The key of the options; undefined without a file of it. */
async function hmacKeyIn({ io }: Pick<Session, 'io'>, { hmacKeyFile }: ServerOptions) {
  if (hmacKeyFile === undefined) return undefined;
  const hmacKey = (await io.readText(hmacKeyFile)).split(/\r?\n/, 1)[0]?.trim() ?? '';
  if (/^[\w-]+$/.test(hmacKey)) return hmacKey;
  throw new UsageError(`--hmac-key-file: the first line of ${hmacKeyFile} is not a key in base64url`);
}

/** Returns the server and the key that the options name; the files are read first. */
export async function accessIn(session: Session, options: ServerOptions) {
  const hmacKey = await hmacKeyIn(session, options);
  const calls = await callsIn(session, options);
  const { directoryUrl, kid } = await serverIn(session, options);
  if (hmacKey === undefined) return { directoryUrl, calls, account: undefined };
  if (kid === undefined) throw new UsageError('--hmac-key-file requires --kid, or a --client');
  const account: ExternalAccount = { kid, hmacKey };
  return { directoryUrl, calls, account };
}

const limitMs = 20_000;

/** How the server of the options is called. */
async function callsIn({ io }: Pick<Session, 'io'>, { ca }: ServerOptions): Promise<AcmeCalls> {
  return {
    rootPem: ca === undefined ? undefined : await io.readText(ca),
    deadline: () => io.deadline(limitMs),
    userAgent: `certloop/${version}`,
  };
}
