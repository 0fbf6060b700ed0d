import {
  type AllowedNames,
  Conflict,
  type IssuancePolicy,
  type IssuancePolicyChange,
  type Provider,
} from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import type { Manager, Session } from '../connection/session.js';
import { UsageError } from '../faults/command-errors.js';
import { readJsonObject } from '../json-file.js';
import { findProvider, findSpace } from '../lookup.js';
import type { Report } from '../output/report.js';

interface PolicyOptions {
  readonly suffix?: readonly string[];
  readonly name?: readonly string[];
  readonly cidr?: readonly string[];
  readonly wildcards?: true;
  readonly beyondFqdn?: true;
  /** As commander names `--any-name`; lifts the limits of names. */
  readonly anyName?: true;
  readonly provider?: readonly string[];
  readonly anyProvider?: true;
  readonly file?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Adds `spaces policy` and `spaces shared-names`. */
export function addSpacePolicy(spaces: Command, open: () => Session): void {
  spaces
    .command('policy <space>')
    .description('Show or set for which names and by which providers a space may get certificates')
    .option('--suffix <domain...>', 'allow these domains and all names below them')
    .option('--name <name...>', 'allow these names exactly; also wildcards such as *.example.com')
    .option('--cidr <range...>', 'allow addresses of these ranges, such as 10.0.0.0/8')
    .option('--wildcards', 'allow wildcard names below the suffixes')
    .option('--beyond-fqdn', 'allow CSRs to contain other names than their FQDN')
    .option('--any-name', 'allow every name')
    .option('--provider <provider...>', 'allow only these providers')
    .option('--any-provider', 'allow every provider')
    .option('--file <file>', 'the whole policy as JSON, as --json prints it; - is standard input')
    .option('--dry-run', 'only list what would be refused; exit code 1 if there is any')
    .option('-y, --yes', 'save it although FQDNs that are allowed today would be refused')
    .action((space, options) => showOrSet(open(), space, options));
  spaces
    .command('shared-names')
    .description('List names that more than one space was issued certificates for; for administrators')
    .action(async () => {
      const { report, manager } = open();
      const { body } = await manager.listSharedNames();
      report.list(body.items, ({ name, holder, others }) => ({
        name,
        'held by': holder.spaceName,
        since: holder.since.slice(0, 10),
        others: others.map(({ spaceName }) => spaceName).join(', '),
      }));
      if (body.hasMore) report.warn('there are more of them');
    });
}

async function showOrSet(session: Session, named: string, options: PolicyOptions): Promise<void> {
  const limits = limitsOf(options);
  const isSilent = limits.allowedNames === undefined && !limits.isLimitingProviders;
  if (options.file !== undefined) {
    if (!isSilent)
      throw new UsageError('--file is the whole policy: it can be combined only with --dry-run and --yes');
    // cert-manager judges it and names what is wrong
    const sent = (await readJsonObject(session.io, options.file, '--file')) as Partial<IssuancePolicy>;
    return set(session, named, options, async () => sent);
  }
  if (!isSilent) return set(session, named, options, (...of) => changedPolicy(...of, options, limits));
  if (options.dryRun === true || options.yes === true)
    throw new UsageError('--dry-run and --yes require a policy: name its limits, or a --file');
  return show(session, named);
}

async function show({ report, manager }: Session, named: string): Promise<void> {
  const { id } = await findSpace(manager, named);
  const { body } = await manager.getIssuancePolicy({ params: { id } });
  const providers = (await manager.listProviders()).body;
  report.thing(body, (policy) => ({
    ...rowOf(policy, providers),
    ...(policy.isDefault === true && { 'set by': 'ISSUANCE_POLICY_DEFAULT' }),
  }));
}

interface Limits {
  /** Names that the options allow: null for any, undefined for nothing. */
  readonly allowedNames: AllowedNames | null | undefined;
  readonly isLimitingProviders: boolean;
}

function limitsOf(options: PolicyOptions): Limits {
  const { suffix, name, cidr, wildcards, beyondFqdn, anyName, provider, anyProvider } = options;
  const isLimitingNames = [suffix, name, cidr, wildcards, beyondFqdn].some((each) => each !== undefined);
  if (isLimitingNames && anyName === true)
    throw new UsageError(
      '--any-name cannot be combined with --suffix, --name, --cidr, --wildcards or --beyond-fqdn',
    );
  if (provider !== undefined && anyProvider === true)
    throw new UsageError('--provider and --any-provider cannot be combined');
  const names = {
    names: [...(name ?? [])],
    suffixes: [...(suffix ?? [])],
    wildcards: wildcards === true,
    cidrs: [...(cidr ?? [])],
    beyondFqdn: beyondFqdn === true,
  };
  return {
    allowedNames: isLimitingNames ? names : anyName === true ? null : undefined,
    isLimitingProviders: provider !== undefined || anyProvider === true,
  };
}

/** The policy of the space with what the options say; of names and providers, what they do not speak of stays. */
async function changedPolicy(
  manager: Manager,
  id: string,
  { provider: named }: PolicyOptions,
  { allowedNames, isLimitingProviders }: Limits,
): Promise<IssuancePolicy> {
  const { body: current } = await manager.getIssuancePolicy({ params: { id } });
  const providers: Provider[] = [];
  for (const name of named ?? []) providers.push(await findProvider(manager, name));
  const providerIds = named === undefined ? null : providers.map((provider) => provider.id);
  return {
    allowedNames: allowedNames === undefined ? current.allowedNames : allowedNames,
    providerIds: isLimitingProviders ? providerIds : current.providerIds,
  };
}

async function set(
  { report, manager }: Session,
  named: string,
  { dryRun, yes }: PolicyOptions,
  policyOf: (manager: Manager, id: string) => Promise<Partial<IssuancePolicy>>,
): Promise<void> {
  const { id } = await findSpace(manager, named);
  const policy = await policyOf(manager, id);
  const put = async (query: { readonly dryRun?: 'true' }, confirmed: boolean) =>
    (
      await manager.setIssuancePolicy({
        params: { id },
        query,
        body: { ...policy, ...(confirmed && { confirmed }) },
      })
    ).body;
  const trial = yes === true && dryRun !== true ? undefined : await put({ dryRun: 'true' }, false);
  if (trial !== undefined && trial.newlyRefused.count > 0 && dryRun !== true)
    throw unconfirmed(trial.newlyRefused.count);
  const change = trial !== undefined && dryRun === true ? trial : await put({}, yes === true);
  print(report, change, (await manager.listProviders()).body);
  if (dryRun === true && change.newlyRefused.count > 0)
    throw new Conflict(`${refusedToday(change.newlyRefused.count)} would be refused`);
}

function unconfirmed(count: number): Conflict {
  return new Conflict(
    `${refusedToday(count)} would be refused; add --dry-run to list them, or --yes to save the policy all the same`,
  );
}

const refusedToday = (count: number) =>
  count === 1 ? '1 FQDN that is allowed today' : `${count} FQDNs that are allowed today`;

function print(report: Report, change: IssuancePolicyChange, providers: readonly Provider[]): void {
  const { saved, newlyRefused } = change;
  report.thing(change, () => ({
    ...rowOf(change, providers),
    saved: saved ? 'yes' : 'no',
    'newly refused': newlyRefused.count,
  }));
  for (const { fqdn, message } of newlyRefused.items) report.warn(`${fqdn}: ${message}`);
  const more = newlyRefused.count - newlyRefused.items.length;
  if (more > 0) report.warn(`and ${more} more`);
}

function rowOf({ allowedNames, providerIds }: IssuancePolicy, providers: readonly Provider[]) {
  const nameOf = (id: string) => providers.find((each) => each.id === id)?.name ?? id;
  const allowed = (all: readonly string[]) => (all.length === 0 ? 'none' : all.join(', '));
  return {
    ...(allowedNames === null
      ? { names: 'any' }
      : {
          names: allowed(allowedNames.names),
          suffixes: allowed(allowedNames.suffixes),
          wildcards: allowedNames.wildcards ? 'yes' : 'no',
          addresses: allowed(allowedNames.cidrs),
          'names beyond the FQDN': allowedNames.beyondFqdn ? 'yes' : 'no',
        }),
    providers: providerIds === null ? 'any' : allowed(providerIds.map(nameOf)),
  };
}
