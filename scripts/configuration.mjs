// Writes docs/configuration.md and docker/env.example from the settings of the services; with --check it only
// says whether they are what the settings say.
import { readFileSync, writeFileSync } from 'node:fs';
import { settings as certManager } from '../apps/cert-manager/dist/src/config.js';
import { settings as checkMonitor } from '../apps/check-monitor/dist/src/config.js';
import { settings as dummyCa } from '../apps/dummy-ca/dist/src/config.js';

const services = { 'cert-manager': certManager, 'check-monitor': checkMonitor, 'dummy-ca': dummyCa };
const root = new URL('..', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');

/** What a variable counts as when it is absent, as text; undefined when there is no such value. */
function defaultOf({ schema }) {
  // A prefault is text as the environment has it; what a pipe makes of an absent value is not.
  if (schema.def.type === 'pipe') return defaultOf({ schema: schema.def.in });
  if (schema.def.type === 'prefault') return schema.def.defaultValue || undefined;
  const { data } = schema.safeParse(undefined);
  if (data === undefined || (Array.isArray(data) && data.length === 0)) return undefined;
  return Array.isArray(data) ? data.join(', ') : String(data);
}

function defaultCell(setting) {
  if (!setting.schema.safeParse(undefined).success) return '(required)';
  const value = defaultOf(setting);
  return value === undefined ? '' : `\`${value}\``;
}

function table(settings) {
  const rows = Object.values(settings).map(
    (setting) =>
      `| \`${setting.name}\` | ${defaultCell(setting)} | ${setting.help.replaceAll(/[|<]/g, '\\$&')} |`,
  );
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

const sections = Object.entries(services).map(([name, settings]) => `\n## ${name}\n\n${table(settings)}\n`);
const reference = `# Configuration

Each service reads its environment once, at its start; faults are listed all at once and stop it. A value may
also come from a file that \`NAME_FILE\` names, as secrets should; an empty variable counts as absent. This page
is made by \`node scripts/configuration.mjs\` from the settings themselves.
${sections.join('')}`;

const stack = read('docker/services.yaml');
const stacks = ['compose.yaml', 'compose.dev.yaml'].reduce(
  (text, file) => text + read(`docker/${file}`),
  stack,
);
const isHandedThrough = ({ name }) => new RegExp(`^ +${name}:$|\\$\\{${name}[:}]`, 'm').test(stack);
const isSet = ({ name }) => new RegExp(`^ +${name}(_FILE)?: .`, 'm').test(stacks);
// A stack's own business, or nothing that one address published on loopback could serve.
const notForStacks = new Set([
  'NODE_ENV',
  'OTEL_SERVICE_NAME',
  'CHECK_MONITOR_SMTP_HOST',
  'DUMMY_CA_STATE_FILE',
  'DUMMY_CA_ROOT_KEY',
  'DUMMY_CA_ROOT_CERTIFICATE',
  'DUMMY_CA_INTERMEDIATE_KEY',
  'DUMMY_CA_INTERMEDIATE_CERTIFICATE',
]);

const isPublished = (name) => stack.includes(`'127.0.0.1:\${${name}:-`);

/** A variable of docker/.env, commented out, below what it means. */
function example(setting) {
  const { name } = setting;
  const help = name.endsWith('_PORT') && isPublished(name) ? 'TCP port on 127.0.0.1' : setting.help;
  const fallback = new RegExp(`\\$\\{${name}:-([^$}]*)\\}`).exec(stack)?.[1] ?? defaultOf(setting) ?? '';
  return `# ${help}\n#${name}=${fallback}\n`;
}

const shown = new Set();

/** The first service that reads a variable shows it. */
function isNew({ name }) {
  return !shown.has(name) && shown.add(name);
}

function examples([service, settings]) {
  const all = Object.values(settings);
  const lost = all.filter(
    (setting) => !isHandedThrough(setting) && !isSet(setting) && !notForStacks.has(setting.name),
  );
  if (lost.length > 0) {
    process.stderr.write(
      `docker/services.yaml hands ${service} no ${lost.map(({ name }) => name).join(', ')}: add the name there\n`,
    );
    process.exitCode = 1;
  }
  return `\n## ${service}\n\n${all.filter(isHandedThrough).filter(isNew).map(example).join('')}`;
}

const environment = `# Variables of the composed stacks. Copy this file to docker/.env, where docker compose looks for it, and set
# what is to differ from the values shown. Made by node scripts/configuration.mjs.
${Object.entries(services).map(examples).join('')}`;

for (const [path, text] of [
  ['docs/configuration.md', reference],
  ['docker/env.example', environment],
]) {
  if (!process.argv.includes('--check')) {
    writeFileSync(new URL(path, root), text);
  } else if (read(path) !== text) {
    process.stderr.write(`${path} is out of date: run node scripts/configuration.mjs\n`);
    process.exitCode = 1;
  }
}
