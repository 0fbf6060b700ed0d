import { type Fqdn, type FqdnCounts, fqdnSorts, fqdnStates, renewalOwners } from '@certloop/contracts';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { type FqdnFilter, findProvider, findSpace, listFqdnsIn } from '../../lookup.js';
import { duration, wholeNumber } from '../../numbers.js';
import { formatDuration } from '../../output/table.js';
import { expiryDay } from '../certificates/certificate-end.js';

interface ListOptions {
  readonly space?: string;
  readonly query?: string;
  readonly state?: (typeof fqdnStates)[number];
  readonly renewal?: 'on' | 'off';
  readonly renewedBy?: (typeof renewalOwners)[number];
  readonly issuer?: string;
  readonly owner?: string;
  readonly tag?: string;
  readonly provider?: string;
  readonly expiresWithin?: number;
  readonly sort: (typeof fqdnSorts)[number];
  readonly limit?: number;
}

const rowOf = ({
  fqdn,
  space,
  owner,
  tags,
  status,
  renewalEnabled,
  id,
}: Fqdn & { readonly space: string }) => ({
  fqdn,
  space,
  state: status?.state,
  expires: status?.certificate && expiryDay(status.certificate),
  renewal: renewalEnabled ? 'on' : 'off',
  'renewed by': status?.renewedBy,
  'renew at': status?.renewAt,
  issuer: status?.certificate?.issuer,
  chain: status?.certificate?.chain,
  protocols: status?.protocols?.join(' '),
  owner,
  tags: tags?.join(' '),
  reason: status?.reason,
  id,
});

/** Adds `fqdns list`, `count` and `outlook`. */
export function addFqdnLists(fqdns: Command, open: () => Session): void {
  fqdns
    .command('list', { isDefault: true })
    .description('List the FQDNs of all spaces that you may read, or those that match')
    .option('-s, --space <space>', 'only those of one space')
    .option('--query <text>', 'only those with this text in their name, owner or tags')
    .option('--owner <owner>', 'only those of this owner')
    .option('--tag <tag>', 'only those with this tag')
    .addOption(new Option('--state <state>', 'only those in one state').choices(fqdnStates))
    .addOption(new Option('--renewal <switch>', 'only those with renewal on or off').choices(['on', 'off']))
    .addOption(
      new Option('--renewed-by <owner>', 'only those that CertLoop, an ACME client or others renew').choices(
        renewalOwners,
      ),
    )
    .option('--issuer <issuer>', 'only those whose newest certificate has this issuer, as the list shows it')
    .option('-p, --provider <provider>', 'only those that this provider renews')
    .option(
      '--expires-within <duration>',
      'only those whose certificate expires within this time: days, or 2w, 36h',
      duration('--expires-within', 'd', 0, 36_500),
    )
    .addOption(
      new Option(
        '--sort <order>',
        'order of the list: by creation, need of attention, expiry, renewal or name',
      )
        .choices(fqdnSorts)
        .default('createdAt'),
    )
    .option('--limit <n>', 'maximum number of results', wholeNumber('--limit', 1, 1_000_000))
    .action((options) => listFqdns(open(), options));
  fqdns
    .command('count')
    .description('Count FQDNs by their states')
    .option('-s, --space <space>', 'only those of one space')
    .option('--query <text>', 'only those with this text in their name, owner or tags')
    .action(async ({ space, query: q }) => {
      const { report, manager } = open();
      const spaceId = space === undefined ? undefined : (await findSpace(manager, space)).id;
      const { body } = await manager.countFqdnStates({ query: { spaceId, q } });
      report.thing(body, ({ needsYou, ...counts }: FqdnCounts) => ({ ...counts, 'needs you': needsYou }));
    });
  fqdns
    .command('outlook')
    .description('Show how long each provider may be unavailable before a certificate expires')
    .option('-s, --space <space>', 'only the FQDNs of one space')
    .action(({ space }) => showOutlook(open(), space));
}

async function listFqdns({ report, manager }: Session, options: ListOptions): Promise<void> {
  const { query: q, owner, tag, state, renewal, renewedBy, issuer, provider, expiresWithin, sort } = options;
  const filter: FqdnFilter = {
    q,
    owner,
    tag,
    state,
    renewal,
    renewedBy,
    issuer,
    sort,
    providerId: provider === undefined ? undefined : (await findProvider(manager, provider)).id,
    expiresBefore:
      expiresWithin === undefined
        ? undefined
        : new Date(Date.now() + expiresWithin * 86_400_000).toISOString(),
    include: 'status',
  };
  const found = await listFqdnsIn(manager, options.space, filter, options.limit);
  report.list(found, rowOf, {
    wide: ['renew at', 'issuer', 'chain', 'protocols', 'owner', 'tags', 'reason', 'id'],
  });
}

async function showOutlook({ report, manager }: Session, space: string | undefined): Promise<void> {
  const spaceId = space === undefined ? undefined : (await findSpace(manager, space)).id;
  const { providers } = (await manager.getOutlook({ query: { spaceId } })).body;
  const names = new Map((await manager.listProviders()).body.map(({ id, name }) => [id, name]));
  report.list(
    providers.map((each) => ({ name: names.get(each.providerId) ?? each.providerId, ...each })),
    ({ name, survivableOutageSeconds: seconds, firstLoss, ...each }) => ({
      provider: name,
      'may be away': seconds === null ? 'for ever' : formatDuration(seconds),
      'first to expire': firstLoss?.fqdn,
      'due in 24 h': each.dueIn24h,
      'most in an hour': each.peakPerHour,
      takes: formatDuration(each.drainSeconds),
      'a minute': each.pace?.perMinute,
      'last success': each.lastSuccessAt,
    }),
    { wide: ['most in an hour', 'a minute', 'last success'] },
  );
}
