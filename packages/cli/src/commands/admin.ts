import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants as system } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Command } from '@commander-js/extra-typings';
import { confirm } from '../confirm.js';
import type { Session } from '../connection/session.js';
import type { Io } from '../io.js';
import { type AdministeredService, findServiceCli } from './service-cli.js';

interface Service {
  readonly app: AdministeredService;
  readonly description: string;
  /** Commands that lose something, by their words. */
  readonly losing: Readonly<Record<string, string>>;
}

const services: Readonly<Record<'manager' | 'monitor', Service>> = {
  manager: {
    app: 'cert-manager',
    description:
      'Administrators, keys and migrations of cert-manager, on its database; --help lists the commands',
    losing: {},
  },
  monitor: {
    app: 'check-monitor',
    description:
      'Users, projects, keys, members, channels, imports and migrations of check-monitor, on its database; --help lists the commands',
    losing: {
      'key revoke': 'the key would be revoked, and programs that use it be refused',
      'channel delete': 'the channel would be deleted, and send no more alerts',
      'member remove': 'the member would lose the project',
    },
  },
};

/** Adds `admin`, whose words after the service are those of the service's own command line, options included. */
export function addAdmin(
  program: Command,
  open: () => Session,
  { args, ended }: { readonly args: readonly string[]; readonly ended: (code: number) => void },
): void {
  const admin = program
    .command('admin')
    .description('Administer a service on its database, on the machine where it runs');
  for (const [name, service] of Object.entries(services)) {
    admin
      .command(name)
      .description(service.description)
      .argument('[words...]', 'command and options, as on the command line of the service')
      .option('-y, --yes', 'delete or revoke without asking')
      // also --help and --json are for the service
      .helpOption(false)
      .allowUnknownOption()
      .action(async () => {
        ended(await administer(open().io, service, wordsAfter(args, name)));
      });
  }
}

/**
 * Returns the words after the name of the service, as they were typed: options such as --json are not taken by
 * certloop.
 */
function wordsAfter(args: readonly string[], name: string): string[] {
  return args.slice(args.indexOf(name, args.indexOf('admin') + 1) + 1);
}

async function administer(io: Io, service: Service, typed: readonly string[]): Promise<number> {
  const isYes = (word: string) => word === '--yes' || word === '-y';
  const words = typed.filter((word) => !isYes(word));
  const command = words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ');
  const place = { home: io.env['CERTLOOP_HOME'], file: fileURLToPath(import.meta.url), root: '/' };
  const entry = await findServiceCli(service.app, place);
  const loss = Object.hasOwn(service.losing, command) ? service.losing[command] : undefined;
  if (loss !== undefined && !words.includes('--help'))
    await confirm(io, typed.some(isYes) ? true : undefined, loss);
  const child = spawn(process.execPath, [entry, ...words], { env: { ...io.env }, stdio: 'inherit' });
  const release = io.onSignal((signal) => void child.kill(signal));
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : system.signals[signal]);
  } finally {
    release();
  }
}
