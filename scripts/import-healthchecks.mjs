// Copies the checks of a project of Healthchecks, or of another check-monitor, into a project here, over the
// management API of both. What was copied before is left alone, so it may be run again.
import { parseArgs } from 'node:util';

const help = `Usage: node scripts/import-healthchecks.mjs [--dry-run] [--arm] [--map ID=ID]...

Reads the environment:
  SOURCE_URL   address of the service to copy from, such as https://healthchecks.io
  SOURCE_KEY   its project's API key; a read-write one also shows integrations and ping addresses
  TARGET_URL   address of the check-monitor to copy to, such as http://127.0.0.1:3001
  TARGET_KEY   read-write key of its project

  --dry-run    only print what would be done
  --arm        give each new check the last ping that it has in the source, so that a job that died before the
               move is noticed; it falls when it would have fallen there
  --map ID=ID  give the checks of this integration of the source to that one of the target

Prints one line a check: what was done, its name, the old ping address and the new one, with tabs between.
Integrations are not copied, since their secrets cannot be read. A check is given to those of the target that --map
names, else to those of the same name; one without a name to the only one of its kind in source and target.
Exit code: 0 done, 1 refused or failed, or checks that had integrations have none now, 2 not understood.
`;

/** Fields that are copied as they are; a service that does not know one leaves it out. */
const copied = [
  'name',
  'slug',
  'tags',
  'desc',
  'grace',
  'timeout',
  'schedule',
  'tz',
  'methods',
  'manual_resume',
  'subject',
  'subject_fail',
  'start_kw',
  'success_kw',
  'failure_kw',
  'filter_subject',
  'filter_body',
  'filter_http_body',
  'filter_default_fail',
];

const blank = (text) => text.replaceAll(/\s+/g, ' ');

class UsageError extends Error {}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(`import-healthchecks: ${error.message}\n${isUsage ? `\n${help}` : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}

async function run(words) {
  const { help: isHelp, 'dry-run': isDry, arm: isArmed, map } = optionsOf(words);
  if (isHelp) return void process.stdout.write(help);
  const source = projectOf('SOURCE');
  const target = projectOf('TARGET');

  const { checks } = await call(source, 'GET', '/checks/');
  const there = (await call(target, 'GET', '/checks/')).checks;
  const channels = await matchingChannels(source, target, checks, map);
  const counts = { created: 0, 'to create': 0, 'already there': 0 };
  const [silent, unarmed] = [[], []];
  for (const check of checks) {
    const done = await copy(check);
    counts[done.what] += 1;
    const line = [done.what, blank(check.name), check.ping_url ?? '', done.check?.ping_url ?? ''];
    process.stdout.write(`${line.join('\t')}\n`);
  }
  const said = Object.entries(counts).filter(([, count]) => count > 0);
  process.stderr.write(`${said.map(([what, count]) => `${count} ${what}`).join(', ') || 'no checks'}\n`);
  list('without any integration here, so that they send no alerts', silent);
  list('that the target did not arm, since it is of an older version', unarmed);
  if (silent.length + unarmed.length > 0) process.exitCode = 1;

  async function copy(check) {
    const place = there.findIndex((other) => isSame(check, other));
    // Taken out, so that the next check of the same name needs one of its own.
    if (place >= 0) return { what: 'already there', check: noteSilent(check, there.splice(place, 1)[0]) };
    const assigned = channels(check);
    if (isDry) {
      noteSilent(check, { channels: assigned });
      return { what: 'to create' };
    }
    const body = Object.fromEntries(
      copied.filter((name) => name in check).map((name) => [name, check[name]]),
    );
    const arming = isArmed && isExpected(check) ? { import_last_ping: check.last_ping } : {};
    const created = await call(target, 'POST', '/checks/', { ...body, ...arming, channels: assigned });
    if (arming.import_last_ping && !created.last_ping) unarmed.push(check);
    if (check.status === 'paused') await call(target, 'POST', `/checks/${created.uuid}/pause`, {});
    return { what: 'created', check: noteSilent(check, created) };
  }

  function noteSilent(check, copy) {
    if (check.channels && copy.channels === '') silent.push(check);
    return copy;
  }
}

function optionsOf(words) {
  const options = {
    help: { type: 'boolean', short: 'h' },
    'dry-run': { type: 'boolean' },
    arm: { type: 'boolean' },
    map: { type: 'string', multiple: true, default: [] },
  };
  try {
    const { map, ...values } = parseArgs({ args: words, options }).values;
    const pairs = map.map((pair) => pair.toLowerCase().split('='));
    const stray = pairs.find((pair) => pair.length !== 2 || pair.includes(''));
    if (stray !== undefined) throw new Error(`--map ${stray.join('=')} is not ID=ID`);
    return { ...values, map: new Map(pairs) };
  } catch (error) {
    throw new UsageError(error.message);
  }
}

/** Whether the source waits for the next ping of a check, or has missed it. */
function isExpected({ status, last_ping: lastPing }) {
  return lastPing && !['new', 'paused'].includes(status);
}

function list(what, checks) {
  if (checks.length === 0) return;
  const names = checks.map(({ name, uuid, unique_key: key }) => `  ${blank(name) || uuid || key}\n`);
  process.stderr.write(`${checks.length} ${what}:\n${names.join('')}`);
}

function isSame(one, other) {
  return ['name', 'slug', 'tags'].every((field) => (one[field] ?? '') === (other[field] ?? ''));
}

/**
 * From a check of the source to ids of the target's integrations: those that `map` names, those of the same names, and for
 * one without a name the only one of its kind. Throws UsageError for a pair of `map` that source or target lacks.
 */
async function matchingChannels(source, target, checks, map) {
  const used = new Set(checks.flatMap((check) => check.channels?.split(',').filter(Boolean) ?? []));
  // A key that only reads is shown no integrations.
  if (used.size === 0 && map.size === 0) return () => '';
  const all = (await call(source, 'GET', '/channels/')).channels;
  const theirs = (await call(target, 'GET', '/channels/')).channels;
  for (const [from, to] of map) {
    if (!all.some(({ id }) => id === from))
      throw new UsageError(`--map: the source has no integration ${from}`);
    if (!theirs.some(({ id }) => id === to))
      throw new UsageError(`--map: the target has no integration ${to}`);
  }
  const mine = all.filter(({ id }) => used.has(id));
  const matches = new Map(mine.map((one) => [one.id, map.get(one.id) ?? matchOf(one, all, theirs)]));
  for (const { id, kind, name } of mine) {
    if (matches.get(id) === undefined)
      process.stderr.write(
        `no integration "${name}" (${kind}) in the target; --map ${id}=ID gives its checks to another\n`,
      );
  }
  const idsOf = ({ channels }) => channels?.split(',').map((id) => matches.get(id)) ?? [];
  return (check) => [...new Set(idsOf(check).filter(Boolean))].join(',');
}

function matchOf({ kind, name }, mine, theirs) {
  if (name) return theirs.find((other) => other.name === name)?.id;
  const unnamed = mine.filter((other) => other.kind === kind && !other.name);
  const ofKind = theirs.filter((other) => other.kind === kind);
  return unnamed.length === 1 && ofKind.length === 1 ? ofKind[0].id : undefined;
}

function projectOf(side) {
  const url = process.env[`${side}_URL`];
  const key = process.env[`${side}_KEY`];
  if (!URL.canParse(url ?? '')) throw new UsageError(`${side}_URL is not an address`);
  if (!key) throw new UsageError(`${side}_KEY is missing`);
  return { base: `${url.replace(/\/+$/, '')}/api/v3`, key };
}

async function call({ base, key }, method, path, body) {
  const headers = { 'X-Api-Key': key, ...(body && { 'Content-Type': 'application/json' }) };
  const address = `${base}${path}`;
  const answer = await fetch(address, { method, headers, body: body && JSON.stringify(body) }).catch(
    (error) => {
      throw new Error(`${address} cannot be reached: ${error.cause?.message ?? error.message}`);
    },
  );
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${address} answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
