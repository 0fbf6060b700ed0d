import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { UsageError } from '../../faults/command-errors.js';
import { duration, wholeNumber } from '../../numbers.js';

/** Settings of an ACME client as options. */
export interface ClientOptions {
  readonly suffix?: readonly string[];
  readonly allowName?: readonly string[];
  readonly wildcards?: true;
  readonly ipRange?: readonly string[];
  readonly policyNames?: true;
  readonly provider?: string;
  readonly createFqdns?: 'on' | 'off';
  readonly takeOver?: 'on' | 'off';
  readonly from?: readonly string[];
  readonly expiresIn?: number;
  readonly maxOrders?: number;
  readonly maxAccounts?: number;
}

/** The settings that `create` and `update` have in common. */
export const clientOptions = () => [
  new Option('--suffix <domain...>', 'allow these domains and all names below them'),
  new Option('--allow-name <name...>', 'allow these names exactly; also wildcards such as *.example.com'),
  new Option('--wildcards', 'allow wildcard names below the suffixes'),
  new Option('--ip-range <range...>', 'allow IP addresses of these ranges in certificates'),
  new Option('--policy-names', 'allow all names that the issuance policy of the space allows'),
  new Option('--provider <provider>', 'provider of its certificates, by name or id'),
  new Option('--create-fqdns <switch>', 'whether its orders add FQDNs to the space').choices(['on', 'off']),
  new Option(
    '--take-over <switch>',
    'whether it may order for FQDNs with a CSR, renewal or certificate of a person or token',
  ).choices(['on', 'off']),
  new Option('--from <range...>', 'accept it only from these addresses, such as 10.0.0.0/8'),
  new Option('--expires-in <duration>', 'when it ends: days, or 12w, 36h').argParser(
    duration('--expires-in', 'd', 0.01, 3_650),
  ),
  new Option('--max-orders <number>', 'orders a day').argParser(wholeNumber('--max-orders', 1, 100_000)),
  new Option('--max-accounts <number>', 'accounts that may be seen in 90 days').argParser(
    wholeNumber('--max-accounts', 1, 10_000),
  ),
];

/** Adds these settings to `update`. */
export function withClientOptions<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
): Command<Args, Opts & ClientOptions> {
  // inferred one by one for commands of any type, they would take the compiler minutes
  for (const option of clientOptions()) command.addOption(option);
  return command as unknown as Command<Args, Opts & ClientOptions>;
}

/** Members of the body for the options that are given. Throws UsageError for names that contradict each other. */
export function settingsIn(options: ClientOptions, now: Date) {
  const { createFqdns, takeOver, from, expiresIn, maxOrders, maxAccounts } = options;
  const names = namesIn(options);
  return {
    ...(names !== undefined && { names }),
    ...(createFqdns !== undefined && { createFqdns: createFqdns === 'on' }),
    ...(takeOver !== undefined && { mayTakeOver: takeOver === 'on' }),
    ...(from !== undefined && { allowedCidrs: [...from] }),
    ...(expiresIn !== undefined && {
      expiresAt: new Date(now.getTime() + expiresIn * 86_400_000).toISOString(),
    }),
    ...(maxOrders !== undefined && { maxOrdersPerDay: maxOrders }),
    ...(maxAccounts !== undefined && { maxAccounts }),
  };
}

function namesIn({ suffix, allowName, wildcards, ipRange, policyNames }: ClientOptions) {
  const isLimited = [suffix, allowName, wildcards, ipRange].some((each) => each !== undefined);
  if (isLimited && policyNames === true)
    throw new UsageError(
      '--policy-names cannot be combined with --suffix, --allow-name, --wildcards or --ip-range',
    );
  if (policyNames === true) return null;
  if (!isLimited) return undefined;
  return {
    names: [...(allowName ?? [])],
    suffixes: [...(suffix ?? [])],
    wildcards: wildcards === true,
    cidrs: [...(ipRange ?? [])],
  };
}
