import { type Provider, providerKindNames } from '@certloop/contracts';
import { type Command, Option } from '@commander-js/extra-typings';
import { confirm } from '../confirm.js';
import type { Session } from '../connection/session.js';
import { type ExistingOptions, withIfNotExists } from '../existing.js';
import { readJsonObject } from '../json-file.js';
import { findProvider } from '../lookup.js';

const rowOf = ({ name, kind, displayName, enabled, pace, id }: Provider) => ({
  name,
  kind,
  title: displayName,
  enabled: enabled ? 'yes' : 'no',
  'a minute': pace?.perMinute,
  id,
});

interface NewProvider extends Pick<ExistingOptions, 'ifNotExists'> {
  readonly kind: Provider['kind'];
  readonly title?: string;
  readonly config: string;
}

/** Adds `providers`. */
export function addProviders(program: Command, open: () => Session): void {
  const providers = program
    .command('providers')
    .description('Providers: list, get, create, configure, enable, disable, test, delete');
  providers
    .command('list', { isDefault: true })
    .description('List providers')
    .action(async () => {
      const { report, manager } = open();
      report.list((await manager.listProviders()).body, rowOf);
    });
  providers
    .command('get <provider>')
    .description('Show a provider with its configuration, secrets masked')
    .action(async (name) => {
      const { report, manager, params } = await providerOf(open(), name);
      const { body } = await manager.getProvider({ params });
      report.thing(body, (provider) => ({ ...rowOf(provider), config: provider.config }));
    });
  withIfNotExists(providers.command('create <name>'), 'a provider')
    .description('Create a provider, which is enabled')
    .addOption(new Option('--kind <kind>', 'kind of the CA').choices(providerKindNames).makeOptionMandatory())
    .addOption(configOption())
    .option('--title <text>', 'name shown in the console')
    .action((name, options) => createProvider(open(), name, options));
  providers
    .command('configure <provider>')
    .alias('update')
    .description('Replace the configuration of a provider; a secret given as ******** stays unchanged')
    .addOption(configOption())
    .action((name, { config }) => configure(open(), name, config));
  addSwitches(providers, open);
  providers
    .command('test <provider>')
    .description('Test whether a provider can be reached; exit code 1 if not')
    .action(async (name) => {
      const { report, manager, provider, params } = await providerOf(open(), name);
      const { body } = await manager.testProvider({ params });
      if (!body.success) throw new Error(`${provider.name}: ${body.message}`);
      report.done(body.message, body);
    });
  providers
    .command('delete <provider>')
    .description('Delete a provider that is no longer in use')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action(async (name, { yes }) => {
      const { io, report, manager, provider, params } = await providerOf(open(), name);
      await confirm(io, yes, `provider ${provider.name} would be deleted with its configuration`);
      const { body } = await manager.deleteProvider({ params });
      report.done(body.message, provider);
    });
}

function addSwitches(providers: Command, open: () => Session): void {
  for (const [command, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    providers
      .command(`${command} <provider>`)
      .description(
        enabled ? 'Let a provider issue certificates' : 'Stop a provider from issuing certificates',
      )
      .action(async (name) => {
        const { report, unchanged, manager, provider, params } = await providerOf(open(), name);
        if (provider.enabled === enabled) unchanged();
        const { body } = await manager.setProviderEnabled({ params, body: { enabled } });
        report.done(body.message, provider);
      });
  }
}

async function providerOf({ io, report, unchanged, manager }: Session, name: string) {
  const provider = await findProvider(manager, name);
  return { io, report, unchanged, manager, provider, params: { id: provider.id } };
}

async function configure(session: Session, name: string, file: string): Promise<void> {
  const config = await readJsonObject(session.io, file, '--config');
  const { report, manager, provider, params } = await providerOf(session, name);
  const { body } = await manager.setProviderConfig({ params, body: { config } });
  report.done(body.message, provider);
}

async function createProvider(session: Session, name: string, options: NewProvider): Promise<void> {
  const { io, report, manager } = session;
  const { kind, title: displayName, config: file, ifNotExists } = options;
  const config = await readJsonObject(io, file, '--config');
  const same =
    ifNotExists === true
      ? (await manager.listProviders()).body.find((provider) => provider.name === name)
      : undefined;
  if (same !== undefined) {
    session.unchanged();
    return report.thing(same, rowOf);
  }
  const body = { kind, name, config, ...(displayName !== undefined && { displayName }) };
  report.thing((await manager.createProvider({ body })).body, rowOf);
}

function configOption() {
  return new Option(
    '--config <file>',
    'its configuration as a JSON object; - is standard input',
  ).makeOptionMandatory();
}
