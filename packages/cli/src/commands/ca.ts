import { keyKinds } from '@certloop/crypto';
import { type Command, Option } from 'commander';
import { type IssueOptions, issueForTests } from '../ca/issue-for-tests.js';
import { installRoot, removeRoot, showRoot } from '../ca/trust-root.js';
import type { Session } from '../connection/session.js';
import { UsageError } from '../faults/command-errors.js';
import { duration } from '../numbers.js';

interface TrustOptions {
  readonly install?: boolean;
  readonly remove?: boolean;
  readonly folder?: string;
}

/** Adds `ca trust` and `ca issue`. */
export function addCa(program: Command, open: () => Session): void {
  const ca = program.command('ca').description('The dummy CA, for development and tests');
  ca.command('trust')
    .description('Print the root of the dummy CA, or install it where this machine looks for roots')
    .option('--install', 'install it for the whole machine, which takes the rights of root')
    .option('--remove', 'remove an installed root')
    .option('--folder <folder>', 'install below this folder instead of /, such as that of an image')
    .action((options: TrustOptions) => trust(open(), options));
  ca.command('issue <name...>')
    .description('Make a key here and have it certified for the host names and addresses, for tests')
    .addOption(new Option('--key-type <type>', 'kind of the key').choices(keyKinds).default('P-256'))
    .option(
      '--profile <profile>',
      'content and length of a profile of dummy-ca, such as tlsserver, as its settings have them',
    )
    .option(
      '--days <duration>',
      'how long the certificate lasts: days, or 36h; 90 days, or those of the profile, when absent',
      duration('--days', 'd', 0.01, 36_500),
    )
    .option('--out-dir <folder>', 'where the files go', '.')
    .option(
      '--password-file <file>',
      'password of the PKCS#12 file, - for what is piped in; one is made when absent',
    )
    .option('--force', 'write over files that are there')
    .action((names: string[], options: IssueOptions) => issueForTests(open(), names, options));
}

async function trust(session: Session, { install, remove, folder }: TrustOptions): Promise<void> {
  if (install === true && remove === true) throw new UsageError('--install and --remove exclude each other');
  if (install === true) return installRoot(session, folder);
  if (remove === true) return removeRoot(session, folder);
  if (folder !== undefined) throw new UsageError('--folder goes with --install or --remove');
  return showRoot(session);
}
