import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AppError } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import {
  ConfigError,
  createLogger,
  createPasswords,
  guardOutput,
  StartFailed,
  systemClock,
} from '@certloop/server';
import { builtInCaller, internalOrigin } from './access/caller.js';
import { pauseUntil } from './acme/orders/order-run.service.js';
import { rotateClientKeys } from './acme-clients/client-key.service.js';
import { type CliConfig, describeSettings, readCliConfig } from './config.js';
import { type OpenMigratedOptions, openMigrated } from './database.js';
import { createProviderOpener } from './providers/open-provider.service.js';
import { createOutgoing } from './providers/outgoing.client.js';
import { findOrderProvider, findProviderByName } from './providers/providers.repository.js';
import { rotateKeys } from './providers/secrets/rotate-keys.service.js';
import { type AccountsDeps, createAdmin, ensureAdmin } from './users/accounts.service.js';

const help = `Usage: cert-manager <command> [options]

Commands
  admin create   create an administrator
  admin ensure   create the administrator, or set this password and mail address, enable the user
                 and make them an administrator again; changes nothing if all of this is already set
  migrate        migrate the database; unless CERT_MANAGER_MIGRATE_AT_START is false, the other commands
                 and the service migrate it too
  keys rotate    encrypt all secrets with the first of ENCRYPTION_KEYS; after that, the other keys
                 can be removed
  acme new-key   replace the key of the account at an ACME CA
  settings       list every environment variable of the service

Options of acme new-key
  --provider NAME        the provider that has the account; default: acme

Options of admin
  --username NAME        3 to 64 letters, digits or any of . _ @ -
  --email ADDRESS
  --password-file FILE   contains the password; - is standard input. Without it, admin create
                         generates a password and prints it once.

CERT_MANAGER_DATABASE_URL sets the database (default: sqlite:./data/cert-manager.sqlite).
If it does not exist, migrate and admin create it; the other commands fail.
`;

/** A command line that cannot be understood. */
class UsageError extends Error {}

const logger = createLogger({ service: 'cert-manager', level: 'silent' });

/** Options for a database that does not exist. */
type Absent = Pick<OpenMigratedOptions, 'mustExist' | 'onCreated'>;

const refuses: Absent = { mustExist: true };
const creates: Absent = {
  onCreated: (shown) => void process.stderr.write(`cert-manager: the database ${shown} is new\n`),
};

guardOutput('cert-manager');

void run(process.argv.slice(2)).then((code) => {
  if (code !== 0) process.exitCode = code;
});

/** Exit code: 0 done, 1 refused or failed, 2 not understood. */
async function run(words: readonly string[]): Promise<number> {
  try {
    await dispatch(words);
    return 0;
  } catch (error) {
    process.stderr.write(`cert-manager: ${sentenceOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function dispatch(words: readonly string[]): Promise<void> {
  const { positionals, values } = parse(words);
  const command = positionals.join(' ');
  if (values.help === true || command === 'help') print(help);
  else if (command === 'migrate') await migrate();
  else if (command === 'settings') print(describeSettings());
  else if (command === 'keys rotate') await withDatabase(rotate);
  else if (command === 'acme new-key') await withDatabase((db, config) => changeKey(db, config, values));
  else if (command === 'admin create') await create(values);
  else if (command === 'admin ensure') await ensure(values);
  else
    throw new UsageError(
      command === '' ? 'name a command; see --help' : `there is no command "${command}"; see --help`,
    );
}

interface Options {
  readonly help?: boolean | undefined;
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  readonly 'password-file'?: string | undefined;
  readonly provider?: string | undefined;
}

function parse(words: readonly string[]): { positionals: string[]; values: Options } {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        username: text,
        email: text,
        'password-file': text,
        provider: text,
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'the command line is malformed');
  }
}

async function create(options: Options): Promise<void> {
  const { username, email } = whoOf(options);
  const given = readPassword(options);
  const password = given ?? randomBytes(18).toString('base64url');
  await withAccounts(async (deps) => {
    await createAdmin(deps, cliCaller(), { username, email, password });
    print(`administrator ${username} created\n`);
    if (given === undefined) print(`password: ${password}\n`);
  });
}

async function ensure(options: Options): Promise<void> {
  const { username, email } = whoOf(options);
  const password = readPassword(options);
  if (password === undefined) throw new UsageError('admin ensure needs --password-file');
  await withAccounts(async (deps) => {
    const outcome = await ensureAdmin(deps, cliCaller(), { username, email, password });
    print(`administrator ${username} ${outcome}\n`);
  });
}

function whoOf({ username, email }: Options): { readonly username: string; readonly email: string } {
  if (username === undefined) throw new UsageError('--username is missing');
  if (email === undefined) throw new UsageError('--email is missing');
  return { username, email };
}

function readPassword({ 'password-file': file }: Options): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new UsageError(`the password file cannot be read: ${code}`);
  }
}

function withAccounts(work: (deps: AccountsDeps) => Promise<void>): Promise<void> {
  return withDatabase(
    (db, { passwordMinLength }) =>
      work({ db, clock: systemClock, passwords: createPasswords(), passwordMinLength }),
    creates,
  );
}

async function withDatabase(
  work: (db: Database, config: CliConfig) => Promise<void>,
  absent: Absent = refuses,
): Promise<void> {
  const config = readCliConfig();
  const db = await openMigrated({ ...config, ...absent }, logger);
  try {
    await work(db, config);
  } finally {
    await db.close();
  }
}

async function migrate(): Promise<void> {
  const db = await openMigrated({ ...readCliConfig(), ...creates, migratesAtStart: true }, logger);
  await db.close();
  print('the database is up to date\n');
}

async function rotate(db: Database, { encryptionKeys: ring }: CliConfig): Promise<void> {
  if (ring === undefined) throw new UsageError('keys rotate needs ENCRYPTION_KEYS');
  const count = await rotateKeys({ db, clock: systemClock }, ring, rotateClientKeys);
  print(`secrets re-encrypted: ${count}\n`);
}

async function changeKey(
  db: Database,
  { encryptionKeys, acmeDirectoryUrl }: CliConfig,
  { provider: named }: Options,
): Promise<void> {
  const row = await db.read(async (tx) => {
    return named === undefined ? findOrderProvider(tx) : findProviderByName(tx, named);
  });
  if (row === undefined) {
    const reason = named === undefined ? 'no ACME provider: start the service first' : `no provider ${named}`;
    throw new UsageError(`there is ${reason}`);
  }
  const outgoing = createOutgoing({ trusted: acmeDirectoryUrl === undefined ? [] : [acmeDirectoryUrl] });
  const { signal: stopping } = new AbortController();
  const opener = createProviderOpener({
    db,
    logger,
    outgoing,
    stopping,
    clock: systemClock,
    keyRing: encryptionKeys,
    pause: pauseUntil(stopping),
    atMoment: async () => undefined,
  });
  try {
    const { changeAccountKey } = opener.open(row);
    if (changeAccountKey === undefined) {
      throw new UsageError(`the provider ${row.name} has no account; name an ACME one with --provider`);
    }
    await changeAccountKey();
    print(
      named === undefined ? 'the account has another key\n' : `the account of ${named} has another key\n`,
    );
  } finally {
    await outgoing.close();
  }
}

function cliCaller() {
  return builtInCaller('cli', internalOrigin(randomUUID()));
}

function print(text: string): void {
  process.stdout.write(text);
}

function sentenceOf(error: unknown): string {
  const isExpected = [UsageError, AppError, ConfigError, StartFailed].some((kind) => error instanceof kind);
  if (error instanceof Error) return isExpected ? error.message : (error.stack ?? error.message);
  return String(error);
}
