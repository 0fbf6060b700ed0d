import type { Fqdn } from '@certloop/contracts';
import { Argument, type Command } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Manager, Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { findFqdn, findFqdns, findProvider, findSpace } from '../../lookup.js';
import { moment } from '../../numbers.js';
import { endOf } from '../certificates/certificate-end.js';
import { addChallengeSetup } from '../certificates/issuance-jobs.js';
import { changeManyFqdns, type ManyFqdns } from './change-fqdns.js';
import { addFqdnLists } from './fqdn-lists.js';

interface NewFqdn {
  readonly space: string;
  readonly owner?: string;
  readonly tag?: readonly string[];
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
  owner: fqdn.owner,
  tags: fqdn.tags?.join(' '),
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
    .option('--owner <owner>', 'who is responsible for it: a person, a team or a mail address')
    .option('--tag <tag...>', 'its tags')
    .action((fqdn, added) => addFqdn(open(), fqdn, added));
  addUpdate(fqdns, open);
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

function addUpdate(fqdns: Command, open: () => Session): void {
  fqdns
    .command('update <fqdn...>')
    .description("Change an FQDN, or one setting of several, also by patterns such as 'app*'")
    .option('--description <text>', 'what it is for; only for one FQDN')
    .option(
      '-p, --provider <provider>',
      'its own provider, for requests by ACME and renewals of imported certificates',
    )
    .option('--no-provider', 'remove its own provider')
    .option('--owner <owner>', 'who is responsible for it: a person, a team or a mail address')
    .option('--no-owner', 'remove its owner')
    .option('--add-tag <tag...>', 'tags to add')
    .option('--remove-tag <tag...>', 'tags to remove')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('--dry-run', 'only list those that would change')
    .action((named, change) => updateFqdns(open(), named, change));
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
  { space, provider, owner, tag, ifNotExists }: NewFqdn,
): Promise<void> {
  const { id } = await findSpace(manager, space);
  const [same] = ifNotExists === true ? await findFqdns(manager, fqdn, id) : [];
  if (same !== undefined) {
    unchanged();
    return report.thing(same, rowOf);
  }
  const providerId = provider === undefined ? {} : { providerId: (await findProvider(manager, provider)).id };
  const { body } = await manager.createFqdn({
    params: { id },
    body: { fqdn, owner, tags: tag && [...tag], ...providerId },
  });
  report.thing(body, rowOf);
}

interface FqdnUpdate extends InSpace {
  readonly description?: string;
  /** False for none. */
  readonly provider?: string | false;
  readonly owner?: string | false;
  readonly addTag?: readonly string[];
  readonly removeTag?: readonly string[];
  readonly dryRun?: true;
}

async function updateFqdns(session: Session, named: readonly string[], update: FqdnUpdate): Promise<void> {
  const { description, provider, owner, addTag, removeTag, space, dryRun } = update;
  const shared = [provider, owner, addTag, removeTag].filter((value) => value !== undefined).length;
  if (description === undefined && shared === 0)
    throw new UsageError(
      'name what is to change: --description, --provider, --owner, --add-tag, --remove-tag, --no-provider or --no-owner',
    );
  const [first = '', ...others] = named;
  const isOne = others.length === 0 && !first.includes('*');
  if (isOne && dryRun === undefined) return updateFqdn(session, first, update);
  if (description !== undefined)
    throw new UsageError('--description belongs to one FQDN and has no --dry-run; leave it out');
  if (shared > 1) throw new UsageError('change one setting of several FQDNs at a time');
  const change = await changeOfMany(session.manager, update);
  await changeManyFqdns(session, { patterns: named, space, dryRun, ...change });
}

/** The one setting that changes for several FQDNs. */
async function changeOfMany(
  manager: Manager,
  { provider, owner, addTag, removeTag }: FqdnUpdate,
): Promise<Pick<ManyFqdns, 'change' | 'after' | 'result'>> {
  if (addTag !== undefined)
    return {
      change: { action: 'add-tags', tags: [...addTag] },
      after: ({ tags = [] }) => ({ tags: tagsAfter([...tags, ...addTag]) }),
      result: `with ${addTag.join(' ')}`,
    };
  if (removeTag !== undefined)
    return {
      change: { action: 'remove-tags', tags: [...removeTag] },
      after: ({ tags = [] }) => ({ tags: tagsAfter(tags, removeTag) }),
      result: `without ${removeTag.join(' ')}`,
    };
  if (owner !== undefined)
    return {
      change: { action: 'set-owner', owner: owner === false ? null : owner },
      after: () => ({ owner: owner === false ? undefined : owner }),
      result: owner === false ? 'without an owner' : `of ${owner}`,
    };
  const { id: providerId } =
    provider === undefined || provider === false ? { id: undefined } : await findProvider(manager, provider);
  return {
    change: { action: 'set-provider', providerId: providerId ?? null },
    after: () => ({ providerId }),
    result: typeof provider === 'string' ? `with ${provider}` : 'without a provider',
  };
}

async function updateFqdn({ report, manager }: Session, named: string, update: FqdnUpdate): Promise<void> {
  const { description, provider, owner, addTag, removeTag, space } = update;
  const { id: fqdnId, spaceId: id, tags = [] } = await findFqdn(manager, named, space);
  const providerId = typeof provider === 'string' ? (await findProvider(manager, provider)).id : null;
  const body = {
    ...(description !== undefined && { description }),
    ...(provider !== undefined && { providerId }),
    ...(owner !== undefined && { owner: owner === false ? null : owner }),
    ...((addTag !== undefined || removeTag !== undefined) && {
      tags: tagsAfter([...tags, ...(addTag ?? [])], removeTag) ?? [],
    }),
  };
  report.thing((await manager.updateFqdn({ params: { id, fqdnId }, body })).body, rowOf);
}

/** The tags as the service has them; undefined for none. */
function tagsAfter(tags: readonly string[], removed: readonly string[] = []): string[] | undefined {
  const gone = removed.map((tag) => tag.toLowerCase());
  const left = tags.map((tag) => tag.toLowerCase()).filter((tag) => !gone.includes(tag));
  return left.length === 0 ? undefined : [...new Set(left)].sort();
}
