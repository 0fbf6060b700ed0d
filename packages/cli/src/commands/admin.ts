import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, readFile } from 'node:fs/promises';
import { constants as system } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { confirm } from '../confirm.js';
import type { Session } from '../connection/session.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';

interface Service {
  readonly app: 'cert-manager' | 'check-monitor';
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
      .option('-y, --yes', 'do it; without it, commands that delete or revoke ask')
      // also --help and --json are for the service
      .helpOption(false)
      .allowUnknownOption()
      .action(async () => {
        ended(await administer(open().io, service, wordsAfter(args, name)));
      });
  }
}

/** What follows the service, as it was typed: options such as --json are not taken by certloop. */
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
  const entry = await findEntry(io.env, service);
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

/**
 * The service's own command line, since this one has no database driver. It is searched in CERTLOOP_HOME, in the checkout
 * that this file belongs to, and in the folders of the image and the systemd units; never in the current folder, whose
 * code may be a stranger's.
 */
async function findEntry(env: Io['env'], { app }: Service): Promise<string> {
  const home = env['CERTLOOP_HOME'];
  const own = parentsOf(dirname(fileURLToPath(import.meta.url)));
  const roots = home ? [home] : [...own, '/opt/certloop'];
  const folders = [...roots.map((root) => join(root, 'apps', app)), ...(home ? [home] : ['/app'])];
  for (const folder of folders) {
    if ((await packageName(folder)) === `@certloop/${app}`) return builtEntry(folder);
  }
  const name = Object.entries(services).find(([, service]) => service.app === app)?.[0];
  throw new UsageError(
    `${app} is not installed here: run this where it runs, such as docker compose exec ${app} certloop admin ${name}, or set CERTLOOP_HOME to a built checkout`,
  );
}

async function packageName(folder: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).name;
  } catch {
    return undefined;
  }
}

async function builtEntry(folder: string): Promise<string> {
  // the bundled one starts faster; images have only the other
  for (const built of ['service', 'src']) {
    const entry = join(folder, 'dist', built, 'cli.js');
    if (await isReadable(entry)) return entry;
  }
  throw new UsageError(`${folder} is not built: run npm run build there`);
}

async function isReadable(file: string): Promise<boolean> {
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}

function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentsOf(parent)];
}
