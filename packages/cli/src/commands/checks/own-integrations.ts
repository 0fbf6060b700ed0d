import type { AccountChannel } from '@certloop/contracts';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import { type Account, withAccount } from '../../connection/account.js';
import type { Session } from '../../connection/session.js';
import {
  allowRename,
  type ExistingOptions,
  findEnough,
  withExistingOptions,
  withNewName,
} from '../../existing.js';
import { UsageError } from '../../faults/command-errors.js';
import { readJsonObject } from '../../json-file.js';
import { requireOne } from '../../lookup.js';
import { wholeNumber } from '../../numbers.js';

interface InProject {
  readonly project?: string;
}

interface SettingsOptions extends InProject {
  readonly url?: string;
  readonly settings?: string;
}

interface NewIntegration extends SettingsOptions, ExistingOptions {
  readonly kind: string;
  readonly assign: boolean;
  readonly test?: true;
}

type Change = SettingsOptions & { readonly name?: string; readonly twin?: true };
type LatestIn = InProject & { readonly limit: number };

const rowOf = ({ name, kind, verified, disabled, settings, id }: AccountChannel) => ({
  name,
  kind,
  verified: verified ? 'yes' : 'no',
  enabled: disabled ? 'no' : 'yes',
  settings,
  id,
});

/** Adds what no key may do with integrations: `integrations get`, `create`, `update`, `delete` and two lists. */
export function addOwnIntegrations(integrations: Command, open: () => Session): void {
  inProject(integrations.command('get <integration>'))
    .description('Show an integration with its settings, without secrets, by name or id')
    .action((named, options) =>
      withIntegration(open(), named, options, async ({ report }, _account, found) => {
        report.thing(found, (shown) => ({
          ...rowOf(shown),
          'last message': shown.last_notify ?? undefined,
          'last error': shown.last_error || undefined,
          'failing since': shown.failing_since ?? undefined,
        }));
      }),
    );
  withExistingOptions(withSettings(integrations.command('create <name>')), 'an integration')
    .description('Create an integration that all checks of the project notify')
    .requiredOption('--kind <kind>', 'kind of the receiver; certloop integrations kinds lists them')
    .option('--no-assign', 'assign it to no check')
    .option('--test', 'send a test message first, and create nothing if it does not arrive')
    .action((name, options) => createIntegration(open(), name, options));
  withNewName(withSettings(integrations.command('update <integration>')))
    .description('Change an integration; secrets that --settings does not contain stay unchanged')
    .action((named, change) => updateIntegration(open(), named, change));
  inProject(integrations.command('delete <integration>'))
    .description('Delete an integration, by name or id')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action((named, { yes, ...options }) =>
      withIntegration(open(), named, options, async ({ io, report }, { client, params }, found) => {
        await confirm(
          io,
          yes,
          `integration ${found.name || found.id} would be deleted, and send no more alerts`,
        );
        await client.deleteChannel({ params });
        report.done(`deleted ${found.name || found.id}`, found);
      }),
    );
  inProject(integrations.command('deliveries <integration>'))
    .description('List the messages of an integration, newest first')
    .option('--limit <n>', 'maximum number of results', wholeNumber('--limit', 1, 100), 20)
    .action((named, options) => listDeliveries(open(), named, options));
  integrations
    .command('kinds')
    .description('List the kinds of integrations and their settings')
    .action(() => listKinds(open()));
}

async function updateIntegration(session: Session, named: string, change: Change): Promise<void> {
  const { name, twin, ...options } = change;
  const given = await readSettings(session, options);
  if (name === undefined && given === undefined)
    throw new UsageError('name what is to change: --name, --settings or --url');
  await withIntegration(session, named, options, async ({ report }, { client, params }, { id, kind }) => {
    const { channels } = (await client.listAccountChannels({ params })).body;
    await allowRename(session, channels, { id, name }, { said: 'integration', twin });
    const settings = given === undefined ? {} : { settings: given(kind) };
    const body = { ...(name !== undefined && { name }), ...settings };
    report.thing((await client.editChannel({ params, body })).body, rowOf);
  });
}

function listDeliveries(session: Session, named: string, { limit, ...options }: LatestIn): Promise<void> {
  return withIntegration(session, named, options, async ({ report }, { client, params }) => {
    const query = { limit: String(limit) };
    const { deliveries } = (await client.listDeliveries({ params, query })).body;
    report.list(deliveries, ({ at, check, status, attempt, error }) => ({
      time: at,
      check: check ?? 'test',
      status,
      attempt,
      error,
    }));
  });
}

async function listKinds(session: Session): Promise<void> {
  await withAccount(session, async ({ client }) => {
    const { kinds } = (await client.listChannelKinds()).body;
    session.report.list(kinds, ({ kind, label, schema, missing }) => ({
      kind,
      label,
      settings: Object.keys((schema['properties'] ?? {}) as object).join(', '),
      missing,
    }));
  });
}

function inProject<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command.option('--project <project>', 'its project, by name or id; default: the project of the key');
}

function withSettings<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return inProject(command)
    .option('--url <address>', 'the address, for kinds that need only one')
    .option('--settings <file>', 'its settings as a JSON object; - is standard input');
}

/** The settings for a kind that the options give; undefined without any. */
async function readSettings({ io }: Session, { url, settings: file }: SettingsOptions) {
  if (url !== undefined && file !== undefined)
    throw new UsageError('--url and --settings cannot be combined');
  if (url !== undefined)
    return (kind: string): Record<string, unknown> => (kind === 'webhook' ? webhookAt(url) : { url });
  if (file === undefined) return undefined;
  const settings = await readJsonObject(io, file, '--settings');
  return () => settings;
}

const webhookBody =
  '{"check": $NAME_JSON, "status": "$STATUS", "at": "$NOW", "exit_status": $EXITSTATUS, "body": $BODY_JSON}';

/** As `check-monitor channel create --url` does it. */
function webhookAt(url: string): Record<string, unknown> {
  const headers = { 'Content-Type': 'application/json' };
  const call = { method: 'POST', url, headers, body: webhookBody };
  return { down: call, up: call };
}

async function createIntegration(session: Session, name: string, options: NewIntegration): Promise<void> {
  const { kind, assign, test, project: named } = options;
  const settings = (await readSettings(session, options))?.(kind) ?? {};
  await withAccount(session, async ({ client, project }) => {
    const params = { projectId: (await project(named)).id };
    const { channels } = (await client.listAccountChannels({ params })).body;
    const same = channels.find((channel) => channel.name === name);
    const enough = await findEnough(session, same, `an integration ${name}`, options);
    if (enough !== undefined) return session.report.thing(enough, rowOf);
    if (test === true) {
      const { ok, error } = (await client.tryChannel({ params, body: { kind, name, settings } })).body;
      if (!ok)
        throw new Error(`the test message by ${name} did not arrive, so nothing was created: ${error}`);
    }
    const { body } = await client.createChannel({ params, body: { kind, name, settings, assign } });
    session.report.thing(body, rowOf);
    if (!body.verified)
      session.report.warn(`the mail address must be confirmed by the link in the mail that it got`);
  });
}

/** Works on an integration of a project, by name or id. */
async function withIntegration(
  session: Session,
  named: string,
  { project: ofProject }: InProject,
  work: (
    session: Session,
    at: Pick<Account, 'client'> & {
      readonly params: { readonly projectId: string; readonly channelId: string };
    },
    found: AccountChannel,
  ) => Promise<void>,
): Promise<void> {
  await withAccount(session, async ({ client, project }) => {
    const { id: projectId } = await project(ofProject);
    const { channels } = (await client.listAccountChannels({ params: { projectId } })).body;
    const matching = channels.filter(({ id, name }) => id === named.toLowerCase() || name === named);
    const found = requireOne(matching, named, 'integration');
    await work(session, { client, params: { projectId, channelId: found.id } }, found);
  });
}
