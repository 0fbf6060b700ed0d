import { parseArgs } from 'node:util';
import { AppError, keyKinds } from '@certloop/contracts';
import { type Database, DatabaseMissing, DatabaseUnavailable, openDatabase } from '@certloop/db';
import { bringUpToDate, ConfigError, createLogger, type Environment, StartFailed } from '@certloop/server';
import { type CommandDeps, commands, descriptions, discardCommand } from './cli-commands.js';
import { UsageError } from './cli-options.js';
import { keyNames, keyRingFor, loadConfig, loadStorageConfig } from './config.js';
import { schema } from './database.js';
import { microsOf } from './instants.js';
import { channelKindNames } from './integrations/channel-kinds.js';
import { createNotifier, type Notifier } from './notifications/notifier.service.js';
import { openSealing } from './projects/sealing/open-sealing.service.js';
import { type Sealing, withSealing } from './projects/sealing/sealing.store.js';

const help = `Usage: check-monitor <command> [options]

  user create     --email E [--check-limit N] [--ping-limit N]
  user limit      --email E [--check-limit N] [--ping-limit N]
  user password   --email E
                  sets the password, read from standard input, and ends the sessions of the user
  user list
  project create  --owner E --name N
  project list
  key create      --project P --kind ${keyKinds.join('|')}
  key revoke      --project P --kind ${keyKinds.join('|')}
  member add      --project P --email E --role member|read-only
  member remove   --project P --email E
  member list     --project P
  channel create  --project P --kind K --name N --settings JSON [--no-assign]
                  all checks of the project notify the channel, unless --no-assign is given;
                  K is one of ${channelKindNames.slice(0, 8).join(', ')},
                  ${channelKindNames.slice(8).join(', ')};
                  --url U replaces --settings for kinds that need only an address; a webhook then receives
                  a POST request with JSON when a check goes down or up
  channel list    --project P
  channel test    --project P --channel ID
                  sends a message about a check named TEST, and reports whether it arrived
  channel delete  --project P --channel ID
  import          --file DUMP [--dry-run] [--skip-faulty]
                  imports a dump that "manage.py dumpdata" of Healthchecks wrote, completely or not at all;
                  a second run changes only checks that were never pinged here
  setup           --owner E [--project NAME] [--canary-project NAME] [--dir DIR] [--check-limit N] [--ping-limit N]
                  creates the user and the projects if they do not exist, and new keys; without --project, the
                  projects of cert-manager, CertLoop and CertLoop canary. With --dir, stores the keys and a password
                  of the user as files; those that are there already and valid do not change

  keys rotate     encrypts all stored secrets with the first of CHECK_MONITOR_ENCRYPTION_KEYS, or with the key
                  that follows from CHECK_MONITOR_SECRET, and lists the keys that can be removed then
  keys discard    for lost keys: deletes the settings of integrations and the ping keys that no key decrypts;
                  these integrations are disabled until their settings are entered again

  migrate         migrates the database; unless CHECK_MONITOR_MIGRATE_AT_START is false, the other commands
                  and the service migrate it too

  --json          prints the result as JSON
  --help          prints this help

--project takes the id of a project, or its name if only one project has it.
A new key replaces the key of the same kind of the project and is shown only once.
The commands read CHECK_MONITOR_DATABASE_URL and CHECK_MONITOR_SECRET (or _FILE), as the service does, and can be
used while it runs.
If the database does not exist, setup and migrate create it; the other commands fail.
The commands that create or test a channel also read the other settings of the service, such as
CHECK_MONITOR_ALLOW_PRIVATE_TARGETS and CHECK_MONITOR_SMTP_URL.
`;

const options = {
  email: { type: 'string' },
  owner: { type: 'string' },
  name: { type: 'string' },
  project: { type: 'string' },
  'canary-project': { type: 'string' },
  dir: { type: 'string' },
  kind: { type: 'string' },
  url: { type: 'string' },
  settings: { type: 'string' },
  role: { type: 'string' },
  channel: { type: 'string' },
  'check-limit': { type: 'string' },
  'ping-limit': { type: 'string' },
  file: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'skip-faulty': { type: 'boolean' },
  'no-assign': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

// an import of hundreds of megabytes is one transaction
const maxCommandMs = 86_400_000;

const logger = createLogger({ service: 'check-monitor', level: 'silent' });

/** Inputs and outputs of a command line. */
export interface CommandLineIo {
  readonly environment: Environment;
  readonly print: (text: string) => void;
  /** Takes what went wrong. */
  readonly complain: (text: string) => void;
  /** Standard input to its end. */
  readonly readInput: () => string;
}

/** Exit code: 0 done, 1 refused or failed, 2 not understood. */
export async function runCommandLine(args: readonly string[], io: CommandLineIo): Promise<number> {
  try {
    const { values, positionals } = parseCommandLine(args);
    const command = commands[positionals.join(' ')];
    if (values['help'] === true) {
      io.print(help);
      return 0;
    }
    if (command === undefined) throw new UsageError(`there is no command "${positionals.join(' ')}"`);
    const result = await withDatabase(io, positionals.join(' '), (deps) => command(deps, values));
    const describe = descriptions[positionals.join(' ')] ?? readable;
    io.print(values['json'] === true ? `${JSON.stringify(result)}\n` : describe(result));
    return 'outcome' in result && result.outcome === 'refused' ? 1 : 0;
  } catch (error) {
    io.complain(`check-monitor: ${sentenceOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function parseCommandLine(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const creatingCommands = ['setup', 'migrate'];

async function withDatabase<T>(
  { environment, readInput, complain }: CommandLineIo,
  command: string,
  work: (deps: CommandDeps) => Promise<T>,
): Promise<T> {
  const { databaseUrl, secret, formerSecret, encryptionKeys, migratesAtStart } =
    loadStorageConfig(environment);
  const mustExist = !creatingCommands.includes(command);
  const plain: Database = await openDatabase({
    url: databaseUrl,
    schema,
    transactionMs: maxCommandMs,
    limits: { idleMs: maxCommandMs },
    mustExist,
  });
  const ring = keyRingFor({ secret, formerSecret, encryptionKeys });
  const sealing: Sealing = { ring, hasBegun: false, names: keyNames(environment) };
  const db = withSealing(plain, sealing);
  const clock = { now: () => microsOf(new Date()) };
  let notifier: Notifier | undefined;
  const openNotifier = () => {
    notifier ??= createNotifier({ config: loadConfig(environment).delivery, db, logger, clock });
    return notifier;
  };
  try {
    const isNew = !mustExist && (await db.pendingMigrations()).length === schema.migrations.length;
    if (isNew) complain(`check-monitor: the database ${db.shown} is new\n`);
    if (command !== 'migrate') {
      await bringUpToDate(db, { service: 'check-monitor', migratesAtStart, logger });
      if (command !== discardCommand) await openSealing({ db, clock }, sealing);
    }
    return await work({ db, secret, formerSecret, clock, sealing, openNotifier, readInput });
  } finally {
    await notifier?.close();
    await db.close();
  }
}

/** One line a fact, a blank line between things. */
function readable(result: object): string {
  if (Array.isArray(result)) return result.map(readable).join('\n');
  return Object.entries(result)
    .map(([name, value]) => `${name}: ${String(value)}\n`)
    .join('');
}

function sentenceOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${help}`;
  if (error instanceof DatabaseMissing) {
    const way =
      'set CHECK_MONITOR_DATABASE_URL to the database of the service, or create the database with migrate';
    return `${error.message}; ${way}`;
  }
  const expected =
    error instanceof AppError ||
    error instanceof ConfigError ||
    error instanceof StartFailed ||
    error instanceof DatabaseUnavailable;
  if (expected) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
