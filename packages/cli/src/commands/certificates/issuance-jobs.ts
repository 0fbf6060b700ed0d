import {
  type ChallengeSetup,
  type IssuanceJob,
  issuanceJobStatuses,
  requestSteps,
} from '@certloop/contracts';
import { type Command, Option } from '@commander-js/extra-typings';
import { readPages } from '../../connection/pages.js';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { findFqdn, findSpace } from '../../lookup.js';
import { wholeNumber } from '../../numbers.js';

interface JobFilter {
  readonly space?: string;
  readonly status?: (typeof issuanceJobStatuses)[number];
  readonly limit: number;
}

/** Adds `issuance-jobs`. */
export function addIssuanceJobs(program: Command, open: () => Session): void {
  const jobs = program
    .command('issuance-jobs')
    .alias('jobs')
    .description('Requests for certificates: list them, show the steps of one, continue or cancel one');
  jobs
    .command('list [fqdn]', { isDefault: true })
    .description('List the requests of an FQDN, or of a space with --space, the newest first')
    .option('-s, --space <space>', 'name or id of the space')
    .addOption(new Option('--status <status>', 'only those of one status').choices(issuanceJobStatuses))
    .option('--limit <n>', 'maximum number of results', wholeNumber('--limit', 1, 10_000), 20)
    .action((fqdn, filter) => listJobs(open(), fqdn, filter));
  jobs
    .command('get <job>')
    .description('Show how far a request has come, step by step')
    .action(async (id) => {
      const { report, manager } = open();
      report.thing((await manager.getIssuanceJob({ params: { id } })).body, stepsOf);
    });
  jobs
    .command('continue <job>')
    .description('Continue a request after you published what it waits for')
    .action(async (id) => {
      const { report, manager } = open();
      report.thing((await manager.continueIssuanceJob({ params: { id } })).body, stepsOf);
    });
  jobs
    .command('cancel <job>')
    .description('Cancel a request whose CSR was not sent to the CA')
    .action(async (id) => {
      const { report, manager } = open();
      report.thing((await manager.cancelIssuanceJob({ params: { id } })).body, stepsOf);
    });
}

async function listJobs(
  { report, manager }: Session,
  named: string | undefined,
  { space, status, limit }: JobFilter,
): Promise<void> {
  if (named === undefined && space === undefined)
    throw new UsageError('name an FQDN, or a space with --space');
  const place =
    named === undefined
      ? { spaceId: (await findSpace(manager, space ?? '')).id }
      : { fqdnId: (await findFqdn(manager, named, space)).id };
  const pageSize = String(Math.min(limit, 1000));
  const jobs = await readPages(
    (cursor) => manager.listIssuanceJobs({ query: { ...place, status, limit: pageSize, cursor } }),
    limit,
  );
  report.list(
    jobs,
    ({ createdAt, status: state, trigger, requestedBy, failedStep, message, id }) => ({
      created: createdAt,
      status: state,
      trigger,
      by: requestedBy,
      'failed at': failedStep,
      message,
      id,
    }),
    { wide: ['trigger', 'by', 'message'] },
  );
}

const stepsOf = ({ status, message, createdAt, finishedAt, stepStatus, id }: IssuanceJob) => ({
  status,
  message,
  created: createdAt,
  finished: finishedAt,
  ...Object.fromEntries(
    requestSteps.map((step) => {
      const { status: state, detail, error } = stepStatus[step];
      return [step, [state, error?.message ?? detail].filter((part) => part !== undefined).join(': ')];
    }),
  ),
  id,
});

/** Adds `fqdns challenge-setup`. */
export function addChallengeSetup(fqdns: Command, open: () => Session): void {
  fqdns
    .command('challenge-setup <fqdn>')
    .description('Show what to set up so that a CA can validate the names of an FQDN by ACME')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, { space }) => {
      const { report, manager } = open();
      const { id: fqdnId, spaceId } = await findFqdn(manager, named, space);
      report.thing((await manager.getChallengeSetup({ params: { spaceId, fqdnId } })).body, setupRow);
    });
}

const setupRow = ({ provider, type, message, names, obstacle, http01, dns01, waiting }: ChallengeSetup) => ({
  message,
  provider: provider?.name,
  challenge: type,
  names: names.join(', '),
  obstacle,
  path: http01?.path,
  'forward to': http01?.target,
  'or redirect to': http01?.redirect,
  ...numbered(
    'record',
    (dns01?.records ?? []).map(
      ({ name, type: kind, value, setBy }) =>
        `${name} ${kind} ${value ?? '(changes with each order)'}, set by ${setBy === 'you' ? 'you' : 'cert-manager'}`,
    ),
  ),
  ...numbered(
    'publish',
    waiting.map(({ name, type: kind, place, content }) => `${name} ${kind}: ${place} with ${content}`),
  ),
});

function numbered(name: string, values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map((value, index) => [`${name} ${index + 1}`, value]));
}
