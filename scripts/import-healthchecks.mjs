// Copies the checks of a project of Healthchecks, or of another check-monitor, into a project here, over the
// management API of both. What was copied before is left alone, so it may be run again.
const help = `Usage: node scripts/import-healthchecks.mjs [--dry-run]

Reads the environment:
  SOURCE_URL   address of the service to copy from, such as https://healthchecks.io
  SOURCE_KEY   its project's API key; a read-write one also tells integrations and ping addresses
  TARGET_URL   address of the check-monitor to copy to, such as http://127.0.0.1:3001
  TARGET_KEY   read-write key of its project

Prints one line a check: what was done, its name, the old ping address and the new one, with tabs between.
Integrations are not copied, since their secrets cannot be read; a check is given to those of the target that
have the same names, and names that the target lacks are told on standard error. Exit code: 0 done, 1 refused or failed, 2 not understood.
`;

/** Fields that are copied as they are; a service that does not know one leaves it out. */
const copied = [
  ...['name', 'slug', 'tags', 'desc', 'grace', 'timeout', 'schedule', 'tz', 'methods', 'manual_resume'],
  ...['subject', 'subject_fail', 'start_kw', 'success_kw', 'failure_kw'],
  ...['filter_subject', 'filter_body', 'filter_http_body', 'filter_default_fail'],
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
  if (words.includes('--help') || words.includes('-h')) return void process.stdout.write(help);
  const stray = words.find((word) => word !== '--dry-run');
  if (stray !== undefined) throw new UsageError(`there is no option ${stray}`);
  const isDry = words.includes('--dry-run');
  const source = projectOf('SOURCE');
  const target = projectOf('TARGET');

  const { checks } = await call(source, 'GET', '/checks/');
  const there = (await call(target, 'GET', '/checks/')).checks;
  const channels = await matchingChannels(source, target, checks);
  const counts = { created: 0, 'to create': 0, 'already there': 0 };
  for (const check of checks) {
    const done = await copy(check);
    counts[done.what] += 1;
    const line = [done.what, blank(check.name), check.ping_url ?? '', done.check?.ping_url ?? ''];
    process.stdout.write(`${line.join('\t')}\n`);
  }
  const said = Object.entries(counts).filter(([, count]) => count > 0);
  process.stderr.write(`${said.map(([what, count]) => `${count} ${what}`).join(', ') || 'no checks'}\n`);

  async function copy(check) {
    const place = there.findIndex((other) => isSame(check, other));
    // Taken out, so that the next check of the same name needs one of its own.
    if (place >= 0) return { what: 'already there', check: there.splice(place, 1)[0] };
    if (isDry) return { what: 'to create' };
    const body = Object.fromEntries(
      copied.filter((name) => name in check).map((name) => [name, check[name]]),
    );
    const created = await call(target, 'POST', '/checks/', { ...body, channels: channels(check) });
    if (check.status === 'paused') await call(target, 'POST', `/checks/${created.uuid}/pause`, {});
    return { what: 'created', check: created };
  }
}

function isSame(one, other) {
  return ['name', 'slug', 'tags'].every((field) => (one[field] ?? '') === (other[field] ?? ''));
}

/** From a check of the source to ids of the target's integrations that have the names of its own. */
async function matchingChannels(source, target, checks) {
  const used = new Set(checks.flatMap((check) => check.channels?.split(',').filter(Boolean) ?? []));
  // A key that only reads is told no integrations.
  if (used.size === 0) return () => '';
  const mine = (await call(source, 'GET', '/channels/')).channels.filter(({ id }) => used.has(id));
  const theirs = (await call(target, 'GET', '/channels/')).channels;
  const matches = new Map(
    mine.map((one) => [one.id, theirs.find(({ name }) => name && name === one.name)?.id]),
  );
  for (const { id, kind, name } of mine) {
    if (matches.get(id) === undefined)
      process.stderr.write(`no integration "${name}" (${kind}) in the target\n`);
  }
  const idsOf = ({ channels }) => channels?.split(',').map((id) => matches.get(id)) ?? [];
  return (check) => idsOf(check).filter(Boolean).join(',');
}

function projectOf(side) {
  const url = process.env[`${side}_URL`];
  const key = process.env[`${side}_KEY`];
  if (!URL.canParse(url ?? '')) throw new UsageError(`${side}_URL is no address`);
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
