import { type ImportSource, importSources } from '@certloop/contracts';
import { Argument, type Command } from '@commander-js/extra-typings';
import { mapAtOnce } from '../../connection/at-once.js';
import type { Session } from '../../connection/session.js';
import { readToolFiles } from '../../import/tool-files.store.js';
import { carryOut, type ImportOptions, type ImportOutcome, importSpace, planAll } from './import-steps.js';

/** Adds `import`. */
export function addImport(program: Command, open: () => Session): void {
  program
    .command('import')
    .description(
      'Import the certificates that another program has on this machine; private keys stay where they are. Without --apply, it only prints what it would do',
    )
    .addArgument(new Argument('<tool>', 'the program, or pem for files in PEM').choices(importSources))
    .argument('<path...>', 'folders or files of the program')
    .option('-s, --space <space>', 'space of the FQDNs, by name or id; default: the only one there is')
    .option('--apply', 'create the FQDNs that are missing, and import the certificates')
    .option(
      '--csr',
      'also store a CSR with the same names, which is made on this machine with the existing private key, so that CertLoop can renew',
    )
    .action((tool, paths, options) => importAll(open(), { tool, paths, options }, new Date()));
}

interface ImportCall {
  readonly tool: ImportSource;
  readonly paths: readonly string[];
  readonly options: ImportOptions;
}

// a service far away takes longer to answer than to store
const maxCalls = 4;

async function importAll(session: Session, { tool, paths, options }: ImportCall, now: Date): Promise<void> {
  const { manager, report } = session;
  const spaceId = await importSpace(manager, options.space);
  const batch = { manager, spaceId, source: tool, options };
  const contents = await readToolFiles(tool, paths, { withKeys: options.csr === true, now });
  const planned = await planAll(batch, contents, now);
  const outcomes: readonly ImportOutcome[] = await session.progress(planned.length, (step) =>
    mapAtOnce(planned, maxCalls, async ([one, outcome]) => {
      step(outcome.fqdn ?? outcome.path);
      return 'leaf' in one ? carryOut(batch, one, outcome) : outcome;
    }),
  );
  report.list(outcomes, (outcome) => rowOf(outcome, options));
  const failed = outcomes.filter(({ action, csr }) => action === 'fail' || csr?.action === 'fail').length;
  const changes = outcomes.filter(({ action, csr }) => isChange(action) || csr?.action === 'store').length;
  if (options.apply !== true && changes > 0) report.warn('nothing was changed; add --apply to import');
  if (failed > 0) throw new Error(`${failed} of ${outcomes.length} failed`);
  if (changes === 0) session.unchanged();
}

const isChange = (action: ImportOutcome['action']) => action === 'create' || action === 'import';

const resultNames = {
  create: ['would create FQDN', 'created FQDN'],
  import: ['would import', 'imported'],
  there: ['there already', 'there already'],
  skip: ['skipped', 'skipped'],
  fail: ['failed', 'failed'],
} as const;

const csrNames = { store: ['would store', 'stored'], there: ['there already', 'there already'] } as const;

function rowOf(
  { fqdn, action, applied, expiresAt, issuer, names, path, reason, csr }: ImportOutcome,
  options: ImportOptions,
) {
  return {
    fqdn: fqdn ?? '',
    result: resultNames[action][applied ? 1 : 0],
    expires: expiresAt?.slice(0, 10) ?? '',
    issuer: issuer ?? '',
    names: names?.join(', ') ?? '',
    ...(options.csr === true && { csr: csrText(csr, options) }),
    path,
    reason: reason ?? '',
  };
}

function csrText(csr: ImportOutcome['csr'], { apply }: ImportOptions): string {
  if (csr === undefined) return '';
  if (csr.action === 'fail') return `failed: ${csr.reason}`;
  return csrNames[csr.action][apply === true ? 1 : 0];
}
