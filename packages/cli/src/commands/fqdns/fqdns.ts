import type { Fqdn } from '@certloop/contracts';
import { Argument, type Command } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { findFqdn, findFqdns, findProvider, findSpace } from '../../lookup.js';
import { moment } from '../../numbers.js';
import { endOf } from '../certificates/certificate-end.js';
import { addChallengeSetup } from '../certificates/issuance-jobs.js';
import { changeManyFqdns } from './change-fqdns.js';
import { addFqdnLists } from './fqdn-lists.js';

interface NewFqdn {
  readonly space: string;
  readonly provider?: string;
  readonly ifNotExists?: true;
}

interface InSpace {
  readonly space?: string;
}

const rowOf = (fqdn: Fqdn & { readonly space?: string }) => ({
  fqdn: fqdn.fqdn,
  space: fqdn.space,
  renewal: fqdn.renewalEnabled ? 'on' : 'off',
  warning: fqdn.warning,
  id: fqdn.id,
});

/** Adds `fqdns`. */
export function addFqdns(program: Command, open: () => Session): void {
  const fqdns = program
    .command('fqdns')
    .description('FQDNs: list, count, add, update, delete; their renewal, expiry, challenges and outlook');
  addFqdnLists(fqdns, open);
  fqdns
    .command('get <fqdn>')
    .description('Show an FQDN and what you may do with it')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, { space }) => {
      const { report, manager } = open();
      const { id: fqdnId, spaceId: id } = await findFqdn(manager, named, space);
      report.thing((await manager.getFqdn({ params: { id, fqdnId } })).body, rowOf);
    });
  fqdns
    .command('add <fqdn>')
    .alias('create')
    .description('Add an FQDN to a space')
    .option('--if-not-exists', 'succeed if the space has an FQDN with that name')
    .requiredOption('-s, --space <space>', 'name or id of the space')
    .option(
      '-p, --provider <provider>',
      'its own provider, for requests by ACME and renewals of imported certificates',
    )
    .action((fqdn, added) => addFqdn(open(), fqdn, added));
  fqdns
    .command('update <fqdn...>')
    .description("Change an FQDN, or the provider of several, also by patterns such as 'app*'")
    .option('--description <text>', 'what it is for; only for one FQDN')
    .option(
      '-p, --provider <provider>',
      'its own provider, for requests by ACME and renewals of imported certificates',
    )
    .option('--no-provider', 'remove its own provider')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('--dry-run', 'only list those whose provider would change')
    .action((named, change) => updateFqdns(open(), named, change));
  fqdns
    .command('delete <fqdn>')
    .description('Delete an FQDN with its CSRs and certificates')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action(async (named, { space, yes }) => {
      const { io, report, manager } = open();
      const fqdn = await findFqdn(manager, named, space);
      await confirm(io, yes, `FQDN ${fqdn.fqdn} would be deleted with its CSRs and certificates`);
      const { body } = await manager.deleteFqdn({ params: { id: fqdn.spaceId, fqdnId: fqdn.id } });
      report.done(body.message, fqdn);
    });
  addRenewal(fqdns, open);
  addChallengeSetup(fqdns, open);
}

function addRenewal(fqdns: Command, open: () => Session): void {
  fqdns
    .command('renewal')
    .argument('<fqdn>')
    .addArgument(new Argument('<switch>', 'whether it is renewed').choices(['on', 'off']))
    .description('Switch automatic renewal of an FQDN on or off')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, state, { space }) => {
      const { report, unchanged, manager } = open();
      const { id: fqdnId, spaceId, renewalEnabled: before } = await findFqdn(manager, named, space);
      const renewalEnabled = state === 'on';
      if (before === renewalEnabled) unchanged();
      const { body } = await manager.setRenewalEnabled({
        params: { spaceId, fqdnId },
        body: { renewalEnabled },
      });
      report.done(body.message, { fqdnId, spaceId, renewalEnabled });
    });
  fqdns
    .command('accept-expiry <fqdn>')
    .description('Accept that the certificate of an FQDN expires, so that no one is alerted')
    .option(
      '--until <moment>',
      'ISO 8601, or 90d from now, at most a year; default: the expiry of its certificate',
      moment('--until', 'ahead'),
    )
    .option('--end', 'alert again')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, { until, end, space }) => {
      const { report, manager } = open();
      const { id: fqdnId, spaceId } = await findFqdn(manager, named, space);
      const { body } = await manager.setExpiryAccepted({
        params: { spaceId, fqdnId },
        body: { accepted: end !== true, ...(until !== undefined && { until }) },
      });
      report.thing(body, (fqdn) => ({ ...rowOf(fqdn), 'expiry accepted until': fqdn.expiryAcceptedUntil }));
    });
  fqdns
    .command('explain <fqdn>')
    .description('Show when and why the certificate of an FQDN will be renewed')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, { space }) => {
      const { report, manager } = open();
      const { id: fqdnId, spaceId } = await findFqdn(manager, named, space);
      const { body } = await manager.explainRenewal({ params: { spaceId, fqdnId } });
      report.thing(body, ({ message, outlook, watched, scheduledAt, certificate, provider, failure }) => ({
        message,
        outlook,
        watched,
        scheduled: scheduledAt,
        expires: certificate && endOf(certificate),
        provider: provider?.name,
        obstacle: provider?.obstacle,
        failure: failure?.reason,
      }));
    });
}

async function addFqdn(
  { report, unchanged, manager }: Session,
  fqdn: string,
  { space, provider, ifNotExists }: NewFqdn,
): Promise<void> {
  const { id } = await findSpace(manager, space);
  const [same] = ifNotExists === true ? await findFqdns(manager, fqdn, id) : [];
  if (same !== undefined) {
    unchanged();
    return report.thing(same, rowOf);
  }
  const providerId = provider === undefined ? {} : { providerId: (await findProvider(manager, provider)).id };
  const { body } = await manager.createFqdn({ params: { id }, body: { fqdn, ...providerId } });
  report.thing(body, rowOf);
}

interface FqdnUpdate extends InSpace {
  readonly description?: string;
  /** False for none. */
  readonly provider?: string | false;
  readonly dryRun?: true;
}

async function updateFqdns(session: Session, named: readonly string[], update: FqdnUpdate): Promise<void> {
  const { description, provider, space, dryRun } = update;
  if (description === undefined && provider === undefined)
    throw new UsageError('name what is to change: --description, --provider or --no-provider');
  const [first = '', ...others] = named;
  const isOne = others.length === 0 && !first.includes('*');
  if (isOne && dryRun === undefined) return updateFqdn(session, first, update);
  if (description !== undefined || provider === undefined)
    throw new UsageError('--description belongs to one FQDN and has no --dry-run; leave it out');
  const { id: providerId } =
    provider === false ? { id: undefined } : await findProvider(session.manager, provider);
  await changeManyFqdns(session, {
    patterns: named,
    space,
    dryRun,
    change: { action: 'set-provider', providerId: providerId ?? null },
    after: { providerId },
    result: provider === false ? 'without a provider' : `with ${provider}`,
  });
}

async function updateFqdn(
  { report, manager }: Session,
  named: string,
  { description, provider, space }: FqdnUpdate,
): Promise<void> {
  const { id: fqdnId, spaceId: id } = await findFqdn(manager, named, space);
  const providerId = typeof provider === 'string' ? (await findProvider(manager, provider)).id : null;
  const body = {
    ...(description !== undefined && { description }),
    ...(provider !== undefined && { providerId }),
  };
  report.thing((await manager.updateFqdn({ params: { id, fqdnId }, body })).body, rowOf);
}
