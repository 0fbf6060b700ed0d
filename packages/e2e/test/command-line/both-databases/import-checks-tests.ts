import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type CheckUpdate, createCheckMonitorClient } from '@certloop/contracts';
import { expect, test } from 'vitest';
import type { Stack } from '../../../src/stack.js';
import { monitorCommand } from '../../support/monitor-command.js';
import type { RunningStack } from '../../support/test-stack.js';

const script = fileURLToPath(new URL('../../../../../../scripts/import-healthchecks.mjs', import.meta.url));

/** Every setting of a check with a schedule; the old pair of keywords says what the new ones say. */
type Settings = Required<Omit<CheckUpdate, 'api_key' | 'channels' | 'timeout' | 'subject' | 'subject_fail'>>;

async function importChecks(environment: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, [script, ...words], { env: { ...process.env, ...environment } });
  const said = { out: '', error: '' };
  child.stdout.on('data', (text) => {
    said.out += text;
  });
  child.stderr.on('data', (text) => {
    said.error += text;
  });
  const [code]: number[] = await once(child, 'close');
  return { code, lines: said.out.split('\n').filter(Boolean), error: said.error };
}

/** A project with keys of its own in the monitor of the stack. */
async function makeProject({ plan, credentials }: Stack, name: string) {
  const environment = plan.environments['check-monitor'];
  const command = (...words: string[]) => monitorCommand(words, environment);
  const { projectId, readWriteKey, readOnlyKey } = JSON.parse(
    await command('setup', '--owner', `${name}@example.test`, '--project', name, '--json'),
  );
  const baseUrl = credentials.checkMonitor.url;
  const client = createCheckMonitorClient({ baseUrl, apiKey: readWriteKey });
  const addChannel = async (channel: string, ...more: string[]) => {
    const where = ['--project', projectId, '--kind', 'webhook', '--url', 'https://hook.example/'];
    const { channelId } = JSON.parse(
      await command('channel', 'create', ...where, '--name', channel, '--json', ...more),
    );
    return String(channelId);
  };
  return { client, readWriteKey: String(readWriteKey), readOnlyKey: String(readOnlyKey), addChannel };
}

async function makeProjects(stack: Stack, name: string) {
  const source = await makeProject(stack, `${name}-source`);
  const target = await makeProject(stack, `${name}-target`);
  const url = stack.credentials.checkMonitor.url;
  const environment = {
    SOURCE_URL: `${url}/`,
    SOURCE_KEY: source.readWriteKey,
    TARGET_URL: url,
    TARGET_KEY: target.readWriteKey,
  };
  return { source, target, environment };
}

/** Describes the import of checks from another monitor. */
export function describeImportChecks(running: () => RunningStack): void {
  test('copies the settings of a check, its integrations by name, and its pause', async () => {
    const { source, target, environment } = await makeProjects(running().stack, 'whole');
    const [ops, lost] = [await source.addChannel('Ops'), await source.addChannel('Lost')];
    const opsThere = await target.addChannel('Ops');
    // no value is the default, so that a setting that is not copied is missed
    const nightly: Settings = {
      name: 'Nightly',
      slug: 'nightly',
      tags: 'prod db',
      desc: 'dumps',
      grace: 600,
      schedule: '5 4 * * 1-5',
      tz: 'Europe/Berlin',
      methods: 'POST',
      manual_resume: true,
      start_kw: 'begin',
      success_kw: 'done',
      failure_kw: 'broken',
      filter_subject: true,
      filter_body: true,
      filter_http_body: true,
      filter_default_fail: true,
    };
    await source.client.createCheck({ body: { ...nightly, channels: `${ops},${lost}` } });
    const { body: idle } = await source.client.createCheck({
      body: { name: 'Idle', timeout: 120, grace: 60 },
    });
    await source.client.pauseCheck({ params: { id: idle.uuid }, body: {} });

    const said = await importChecks(environment);

    expect(said).toMatchObject({ code: 0, error: expect.stringContaining('2 created') });
    expect(said.error).toContain('no integration "Lost" (webhook) in the target');
    const { checks } = (await target.client.listChecks({ query: {} })).body;
    expect(checks).toHaveLength(2);
    expect(checks).toContainEqual(expect.objectContaining({ ...nightly, channels: opsThere, status: 'new' }));
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'Idle', timeout: 120, grace: 60, channels: '', status: 'paused' }),
    );
    const [what, name, before, after] = said.lines.find((line) => line.includes('Idle'))?.split('\t') ?? [];
    expect([what, name, before]).toEqual(['created', 'Idle', idle.ping_url]);
    expect(checks.map((check) => 'ping_url' in check && check.ping_url)).toContain(after);
  });

  test('assigns checks of an unnamed integration to the only one of its kind, or to the given one', async () => {
    const { source, target, environment } = await makeProjects(running().stack, 'unnamed');
    const unnamed = await source.addChannel('');
    const there = await target.addChannel('Whatever');
    await source.client.createCheck({ body: { name: 'First', channels: unnamed } });
    expect(await importChecks(environment)).toMatchObject({ code: 0, error: '1 created\n' });

    const other = await target.addChannel('Other', '--no-assign');
    await source.client.createCheck({ body: { name: 'Second', channels: unnamed } });
    const refused = await importChecks(environment, '--dry-run');
    expect(refused).toMatchObject({
      code: 1,
      error: expect.stringContaining('so that they send no alerts:\n  Second'),
    });
    expect(refused.error).toContain(`no integration "" (webhook) in the target; --map ${unnamed}=ID`);
    expect(await importChecks(environment, '--map', `x=${other}`)).toMatchObject({
      code: 2,
      error: expect.stringContaining('the source has no integration x'),
    });
    expect(await importChecks(environment, '--map', `${unnamed}=${other}`)).toMatchObject({ code: 0 });

    const { checks } = (await target.client.listChecks({ query: {} })).body;
    const channelsOf = (name: string) => checks.find((check) => check.name === name);
    expect(channelsOf('First')).toMatchObject({ channels: there });
    expect(channelsOf('Second')).toMatchObject({ channels: other });
  });

  test('starts checks with the last ping of the source if requested', async () => {
    const { source, target, environment } = await makeProjects(running().stack, 'armed');
    const { body: pinged } = await source.client.createCheck({ body: { name: 'Pinged', timeout: 60 } });
    await source.client.createCheck({ body: { name: 'Never' } });
    expect((await fetch(pinged.ping_url)).status).toBe(200);
    const { body: before } = await source.client.getCheck({ params: { id: pinged.uuid } });

    expect(await importChecks(environment, '--arm')).toMatchObject({ code: 0 });

    const { checks } = (await target.client.listChecks({ query: {} })).body;
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'Pinged', status: 'up', last_ping: before.last_ping, n_pings: 0 }),
    );
    expect(checks).toContainEqual(expect.objectContaining({ name: 'Never', status: 'new', last_ping: null }));
  });

  test('copies each check once, also two checks of the same name', async () => {
    const { source, target, environment } = await makeProjects(running().stack, 'again');
    await source.client.createCheck({ body: { name: 'Same' } });
    await source.client.createCheck({ body: { name: 'Same' } });

    const runs = [await importChecks(environment), await importChecks(environment)];

    expect(runs.map(({ error }) => error)).toEqual(['2 created\n', '2 already there\n']);
    expect((await target.client.listChecks({ query: {} })).body.checks).toHaveLength(2);
  });

  test('reads with a read-only key, and only reports what it would do in a dry run', async () => {
    const { source, target, environment } = await makeProjects(running().stack, 'dry');
    await source.client.createCheck({ body: { name: 'Alone', tags: 'a b' } });
    const reading = { ...environment, SOURCE_KEY: source.readOnlyKey };

    expect(await importChecks(reading, '--dry-run')).toMatchObject({ code: 0, error: '1 to create\n' });
    expect((await target.client.listChecks({ query: {} })).body.checks).toEqual([]);
    expect(await importChecks(reading)).toMatchObject({
      code: 0,
      lines: [expect.stringMatching(/^created\tAlone\t\t/)],
    });
  });

  test.each([
    ['a wrong key', { SOURCE_KEY: 'x'.repeat(32) }, [], 1, 'answered 401'],
    ['a service that is not there', { SOURCE_URL: 'http://127.0.0.1:9' }, [], 1, 'cannot be reached'],
    ['no address', { TARGET_URL: '' }, [], 2, 'TARGET_URL is not an address'],
    ['another option', {}, ['--force'], 2, "Unknown option '--force'"],
    ['half of a pair', {}, ['--map', 'x='], 2, '--map x= is not ID=ID'],
  ])('rejects %s', async (_, change, words, code, reason) => {
    const { checkMonitor } = running().stack.credentials;
    const [SOURCE_URL, TARGET_URL] = [checkMonitor.url, checkMonitor.url];
    const environment = {
      SOURCE_URL,
      TARGET_URL,
      SOURCE_KEY: checkMonitor.readOnlyKey,
      TARGET_KEY: checkMonitor.readWriteKey,
    };

    const said = await importChecks({ ...environment, ...change }, ...words);

    expect(said).toMatchObject({ code, error: expect.stringContaining(reason) });
    expect(said.error).not.toContain(checkMonitor.readWriteKey);
  });
}
