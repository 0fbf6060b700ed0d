import { keyKinds } from '@certloop/crypto';
import { type Command, Option } from '@commander-js/extra-typings';
import { issueForTests } from '../ca/issue-for-tests.js';
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
    .description('Print the root of the dummy CA, or install it into the trust store of this machine')
    .option('--install', 'install it for the whole machine; requires root')
    .option('--remove', 'remove an installed root')
    .option('--folder <folder>', 'install below this folder instead of /, such as that of an image')
    .action((options) => trust(open(), options));
  ca.command('issue <name...>')
    .description('Create a key and a certificate for host names and IP addresses, for tests')
    .addOption(new Option('--key-type <type>', 'type of the key').choices(keyKinds).default('P-256'))
    .option('--profile <profile>', 'profile of dummy-ca, which sets content and lifetime, such as tlsserver')
    .option(
      '--days <duration>',
      'lifetime of the certificate: days, or 36h; default: 90 days, or that of the profile',
      duration('--days', 'd', 0.01, 36_500),
    )
    .option('--out-dir <folder>', 'folder of the files', '.')
    .option(
      '--password-file <file>',
      'file with the password for the PKCS#12 file; - is standard input; default: a new password',
    )
    .option('--force', 'overwrite existing files')
    .action((names, options) => issueForTests(open(), names, options));
}

async function trust(session: Session, { install, remove, folder }: TrustOptions): Promise<void> {
  if (install === true && remove === true) throw new UsageError('--install and --remove cannot be combined');
  if (install === true) return installRoot(session, folder);
  if (remove === true) return removeRoot(session, folder);
  if (folder !== undefined) throw new UsageError('--folder requires --install or --remove');
  return showRoot(session);
}
