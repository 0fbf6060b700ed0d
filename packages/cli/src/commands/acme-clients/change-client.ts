import type { NewAcmeClient } from '@certloop/contracts';
import { confirm } from '../../confirm.js';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { findProvider, findSpace } from '../../lookup.js';
import { clientRow, findAcmeClient, listAcmeClientsOf } from './client-lookup.js';
import { type ClientOptions, settingsIn } from './client-options.js';
import { type SetupOptions, setupFactsIn, setupTextOf } from './setup-options.js';

interface InSpace {
  readonly space: string;
}

/** Creates an ACME client and prints it with its key, or as commands for the client that `-o` names. */
export async function createClient(
  session: Session,
  name: string,
  options: ClientOptions & SetupOptions & InSpace & { readonly ifNotExists?: true },
): Promise<void> {
  const { manager, report, unchanged } = session;
  const { id: spaceId } = await findSpace(manager, options.space);
  const print = await printerOf(session, options);
  const same = (await listAcmeClientsOf(session, spaceId)).find((client) => client.name === name);
  if (same !== undefined && options.ifNotExists === true) {
    if (session.tool !== undefined)
      throw new UsageError(
        `${name} exists, and its key is not shown again: certloop acme-clients rekey creates a new one`,
      );
    unchanged();
    return report.thing(same, clientRow);
  }
  const provider = await providerIn(session, options);
  const body = { name, ...settingsIn(options, new Date()), ...provider };
  print((await manager.createAcmeClient({ params: { spaceId }, body })).body);
}

/** Replaces the key of an ACME client, and prints the new one. */
export async function rekeyClient(
  session: Session,
  named: string,
  options: SetupOptions & InSpace & { readonly yes?: true },
): Promise<void> {
  const { manager, io } = session;
  const client = await findAcmeClient(session, named, options.space);
  const print = await printerOf(session, options);
  await confirm(io, options.yes, `the key of ${client.name} would end at once`);
  const params = { spaceId: client.spaceId, id: client.id };
  print((await manager.rekeyAcmeClient({ params })).body);
}

/** Returns the function that prints a client with its new key; options are judged before the key is made. */
async function printerOf(session: Session, options: SetupOptions): Promise<(client: NewAcmeClient) => void> {
  const { tool, report, io } = session;
  const warn = ({ warnings }: NewAcmeClient) => {
    for (const { message } of warnings) report.warn(message);
  };
  if (tool === undefined) {
    return (client) => {
      report.thing(client, newRow);
      warn(client);
    };
  }
  const facts = await setupFactsIn(session, tool, options);
  return (client) => {
    io.out.write(setupTextOf(tool, client, facts));
    warn(client);
  };
}

function newRow(client: NewAcmeClient) {
  const { name, state, id } = clientRow(client);
  const { directoryUrl: directory, kid, hmacKey } = client;
  return { name, state, directory, kid, 'hmac key': hmacKey, id };
}

/** Changes an ACME client by the options that are given. */
export async function changeClient(
  session: Session,
  named: string,
  options: ClientOptions &
    InSpace & {
      readonly name?: string;
      readonly anyProvider?: true;
      readonly fromAnywhere?: true;
      readonly neverExpires?: true;
    },
): Promise<void> {
  const { manager, report } = session;
  requireOneOf(options);
  const { name, anyProvider, fromAnywhere, neverExpires } = options;
  const body = {
    ...(name !== undefined && { name }),
    ...settingsIn(options, new Date()),
    ...(await providerIn(session, options)),
    ...(anyProvider === true && { providerId: null }),
    ...(fromAnywhere === true && { allowedCidrs: [] }),
    ...(neverExpires === true && { expiresAt: null }),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError('name what is to change, such as --suffix or --expires-in');
  const { id, spaceId } = await findAcmeClient(session, named, options.space);
  report.thing((await manager.updateAcmeClient({ params: { spaceId, id }, body })).body, clientRow);
}

function requireOneOf(
  options: ClientOptions & { anyProvider?: true; fromAnywhere?: true; neverExpires?: true },
) {
  const pairs = [
    ['--provider', options.provider, '--any-provider', options.anyProvider],
    ['--from', options.from, '--from-anywhere', options.fromAnywhere],
    ['--expires-in', options.expiresIn, '--never-expires', options.neverExpires],
  ] as const;
  const both = pairs.find(([, one, , other]) => one !== undefined && other !== undefined);
  if (both !== undefined) throw new UsageError(`${both[0]} and ${both[2]} cannot be combined`);
}

async function providerIn({ manager }: Session, { provider }: ClientOptions) {
  return provider === undefined ? {} : { providerId: (await findProvider(manager, provider)).id };
}
