import { parseArgs } from 'node:util';
import { AppError } from '@certloop/contracts';
import { type Database, DatabaseUnavailable, openDatabase } from '@certloop/db';
import { ConfigError } from '@certloop/server';
import { channelKindNames } from './channels/channel-kinds.js';
import { listProjectChannels } from './channels/channels.repository.js';
import { createChannel } from './channels/create-channel.service.js';
import { environment, loadStorageConfig } from './config.js';
import { schema } from './database.js';
import { microsOf } from './instants.js';
import {
  type AccountDeps,
  createProject,
  createUser,
  issuedKinds,
  issueKey,
  setUpProject,
} from './projects/create-project.service.js';
import { listProjects, listUsers } from './projects/projects.repository.js';

const help = `Usage: check-monitor <command> [options]

  user create     --email E [--check-limit N] [--ping-limit N]
  user list
  project create  --owner E --name N
  project list
  key create      --project ID --kind ${issuedKinds.join('|')}
  channel create  --project ID --kind K --name N --settings JSON
                  K is one of ${channelKindNames.slice(0, 8).join(', ')},
                  ${channelKindNames.slice(8).join(', ')};
                  --url U is short for settings that are only an address; a webhook calls it for down and up
  channel list    --project ID
  setup           --owner E --project NAME [--check-limit N] [--ping-limit N]
                  user and project where absent, and fresh keys for the project

  --json          print JSON
  --help          print this

A new key takes the place of the project's earlier one of its kind and is shown only once.
Reads CHECK_MONITOR_DATABASE_URL and CHECK_MONITOR_SECRET (or _FILE), as the service does; works while it runs.
`;

/** A command line that makes no sense; the message says why. */
class UsageError extends Error {}

const options = {
  email: { type: 'string' },
  owner: { type: 'string' },
  name: { type: 'string' },
  project: { type: 'string' },
  kind: { type: 'string' },
  url: { type: 'string' },
  settings: { type: 'string' },
  'check-limit': { type: 'string' },
  'ping-limit': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = { readonly [name: string]: string | boolean | undefined };
type Command = (deps: AccountDeps, values: Values) => Promise<object>;

const commands: Readonly<Record<string, Command>> = {
  'user create': async (deps, values) => {
    const { id, email } = await createUser(deps, { email: required(values, 'email'), ...limits(values) });
    return { userId: id, email };
  },
  'user list': async ({ database }) => {
    const found = await database.read(listUsers);
    return found.map(({ id, email, checkLimit, pingLimit, checkCount }) => {
      return { userId: id, email, checkLimit, pingLimit, checks: checkCount };
    });
  },
  'project create': async (deps, values) => {
    const { id, name } = await createProject(deps, required(values, 'owner'), required(values, 'name'));
    return { projectId: id, name };
  },
  'project list': async ({ database }) => {
    const found = await database.read(listProjects);
    return found.map(({ id, name, ownerId }) => ({ projectId: id, name, ownerId }));
  },
  'key create': async (deps, values) => {
    const kind = oneOf(values, 'kind', issuedKinds);
    return { kind, key: await issueKey(deps, required(values, 'project'), kind) };
  },
  'channel create': async (deps, values) => ({
    channelId: await createChannel(deps, {
      projectId: required(values, 'project'),
      kind: oneOf(values, 'kind', channelKindNames),
      name: required(values, 'name'),
      settings: channelSettings(values),
      // whoever may write to the database need not ask
      isVerified: true,
    }),
  }),
  'channel list': async ({ database }, values) => {
    const found = await database.read((tx) => listProjectChannels(tx, required(values, 'project')));
    return found.map(({ uuid, kind, name }) => ({ channelId: uuid, kind, name }));
  },
  setup: (deps, values) =>
    setUpProject(deps, { email: required(values, 'owner'), ...limits(values) }, required(values, 'project')),
};

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseCommandLine(args);
    const command = commands[positionals.join(' ')];
    if (values['help'] === true) return print(help);
    if (command === undefined) throw new UsageError(`there is no command "${positionals.join(' ')}"`);
    const result = await withDatabase((deps) => command(deps, values));
    return print(values['json'] === true ? `${JSON.stringify(result)}\n` : readable(result));
  } catch (error) {
    process.stderr.write(`check-monitor: ${sentenceOf(error)}\n`);
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

async function withDatabase<T>(work: (deps: AccountDeps) => Promise<T>): Promise<T> {
  const { databaseUrl, secret } = loadStorageConfig(environment);
  const database: Database = await openDatabase({ url: databaseUrl, schema });
  try {
    await database.migrate();
    return await work({ database, secret, now: () => microsOf(new Date()) });
  } finally {
    await database.close();
  }
}

function required(values: Values, name: string): string {
  const value = values[name];
  if (typeof value !== 'string') throw new UsageError(`--${name} is missing`);
  return value;
}

function oneOf<Word extends string>(values: Values, name: string, words: readonly Word[]): Word {
  const value = required(values, name);
  const found = words.find((word) => word === value);
  if (found === undefined) throw new UsageError(`--${name} must be one of ${words.join(', ')}`);
  return found;
}

function channelSettings(values: Values): unknown {
  const { url } = values;
  if (url !== undefined) return values['kind'] === 'webhook' ? { down: { url }, up: { url } } : { url };
  try {
    return JSON.parse(required(values, 'settings'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError('--settings must be JSON');
  }
}

function limits(values: Values) {
  return { checkLimit: count(values, 'check-limit', 0), pingLimit: count(values, 'ping-limit', 1) };
}

function count(values: Values, name: string, least: number): number | null {
  const value = values[name];
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^[0-9]{1,9}$/.test(value) || Number(value) < least) {
    throw new UsageError(`--${name} must be a whole number from ${least}`);
  }
  return Number(value);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
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
  const expected =
    error instanceof AppError || error instanceof ConfigError || error instanceof DatabaseUnavailable;
  if (expected) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
