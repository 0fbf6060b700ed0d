import { resolve } from 'node:path';
import {
  type AcmeTool,
  acmeSetupText,
  exampleNames,
  faultsOfSetup,
  type NewAcmeClient,
  type SetupFacts,
} from '@certloop/contracts';
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { type ClientOptions, clientOptions } from './client-options.js';

/** Values of the commands that `-o certbot` and so on print. */
export interface SetupOptions {
  readonly certName?: readonly string[];
  readonly reload: string;
  readonly email?: string;
  readonly ca?: string;
}

const setupPart = 'for -o certbot and so on:';

const setupOptions = () => [
  new Option('--cert-name <name...>', `${setupPart} names of the certificate; default: one that it may have`),
  new Option('--reload <command>', `${setupPart} what makes the server read a new certificate`).default(
    'systemctl reload nginx',
  ),
  new Option('--email <address>', `${setupPart} contact of the account`),
  new Option('--ca <path>', `${setupPart} PEM file with the root of the front's own certificate`),
];

/** Adds the options of the printed commands. */
export function withSetupOptions<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
): Command<Args, Opts & SetupOptions> {
  for (const option of setupOptions()) command.addOption(option);
  return command as unknown as Command<Args, Opts & SetupOptions>;
}

/** Adds these and the settings of an ACME client. */
export function withNewClientOptions<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
): Command<Args, Opts & ClientOptions & SetupOptions> {
  for (const option of [...clientOptions(), ...setupOptions()]) command.addOption(option);
  return command as unknown as Command<Args, Opts & ClientOptions & SetupOptions>;
}

const optionOf: Readonly<Partial<Record<keyof SetupFacts, string>>> = {
  names: '--cert-name',
  reload: '--reload',
  email: '--email',
  rootFile: '--ca',
  rootPem: '--ca',
};

/** Values that do not depend on the client. Throws UsageError for those that no command may hold, before anything is sent. */
export async function setupFactsIn(
  { io }: Pick<Session, 'io'>,
  tool: AcmeTool,
  { certName, reload, email, ca }: SetupOptions,
) {
  // only a manifest has its content; elsewhere it is a path on another machine
  const rootPem = ca === undefined || tool !== 'k8s' ? undefined : await io.readText(ca);
  const rootFile = ca === undefined ? undefined : resolve(ca);
  const facts = { names: certName, reload, email, rootFile, rootPem };
  const [fault] = Object.entries(faultsOfSetup({ ...harmless, ...facts, names: certName ?? harmless.names }));
  if (fault !== undefined)
    throw new UsageError(`${optionOf[fault[0] as keyof SetupFacts] ?? fault[0]}: it ${fault[1]}`);
  return facts;
}

const harmless = {
  directoryUrl: 'https://localhost/',
  kid: 'kid',
  hmacKey: 'key',
  clientName: '',
  names: ['localhost'],
};

/** The commands for a client that was created or has a new key. */
export function setupTextOf(
  tool: AcmeTool,
  { directoryUrl, kid, hmacKey, name, names }: NewAcmeClient,
  facts: Awaited<ReturnType<typeof setupFactsIn>>,
): string {
  return acmeSetupText(tool, {
    ...facts,
    directoryUrl,
    kid,
    hmacKey,
    clientName: name,
    names: facts.names ?? exampleNames(names),
  });
}
