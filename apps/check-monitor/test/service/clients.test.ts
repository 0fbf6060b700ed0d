import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeMonitor } from '../support/suite.js';

// Unmodified clients that no one here wrote; what is not installed is named, not passed over.
const unproven = 'it proves nothing here';
const ifPresent = (isThere: boolean) => (isThere ? test : test.skip);
const curl = ifPresent(hasProgram('curl', unproven));
const borgmatic = ifPresent(hasProgram('borg', unproven) && hasProgram('borgmatic', unproven));
const library = createRequire(import.meta.url).resolve('healthchecks-io-client');

describeMonitor('unmodified clients', (stage) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'monitor-clients-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const site = () => `http://127.0.0.1:${stage.app.address().port}`;
  const pingsOf = async (uuid: string) =>
    (await stage.ada.get(`/checks/${uuid}/pings/`).expect(200)).body.pings;
  const typesOf = async (uuid: string) => (await pingsOf(uuid)).map(({ type }: { type: string }) => type);

  curl('curl, in the forms that documentation shows', async () => {
    const { uuid } = await stage.ada.check({ slug: 'db-backup' });
    const url = `${site()}/ping/${uuid}`;
    const bySlug = `${site()}/ping/${stage.ada.keys.pingKey}/db-backup`;
    const forms = [
      ['-m', '10', '--retry', '5', url],
      ['-fsS', '-m', '10', '--retry', '5', `${url}/start`],
      ['-fsS', '-m', '10', '--retry', '5', '--data-raw', 'Linux host 6.1 & more=1', url],
      ['-fsS', '-m', '10', '--retry', '5', `${url}/7`],
      ['-fsS', '-X', 'POST', '--data-binary', `@${import.meta.filename}`, `${url}/log`],
      ['-fsS', '--retry', '3', `${url}?rid=728b3763-ea80-4113-9fc0-f49b4adfdbc5`],
      ['-fsS', '-I', bySlug],
      ['-fsS', `${bySlug}/fail`],
      ['-fsS', `${site()}/ping/${stage.ada.keys.pingKey}/new-one?create=1`],
    ];
    for (const form of forms) expect(await say('curl', form)).toMatch(/OK|Created|200/);
    const seen = ['fail', 'success', 'success', 'log', 'fail', 'success', 'start', 'success'];
    expect(await typesOf(uuid)).toEqual(seen);
    await stage.ada.get(`/checks/${uuid}/pings/3/body`).expect(200, 'Linux host 6.1 & more=1');
  });

  curl('curl makes, lists, pauses and deletes checks', async () => {
    const key = ['--header', `X-Api-Key: ${stage.ada.keys.readWriteKey}`];
    const body = '{"name": "Backups", "tags": "prod www", "timeout": 3600, "grace": 60}';
    const base = `${site()}/api/v3/checks/`;
    const made = JSON.parse(await say('curl', ['-sS', base, ...key, '--data', body]));
    expect(made).toMatchObject({ name: 'Backups', timeout: 3600 });
    const listed = JSON.parse(await say('curl', ['-sS', ...key, `${base}?tag=prod&tag=www`]));
    expect(listed.checks).toHaveLength(1);
    const pause = ['-sS', `${base}${made.uuid}/pause`, '--request', 'POST', ...key, '--data', ''];
    expect(JSON.parse(await say('curl', pause)).status).toBe('paused');
    await say('curl', ['-sS', '-f', `${base}${made.uuid}`, '--request', 'DELETE', ...key]);
    await stage.ada.get(`/checks/${made.uuid}`).expect(404);
  });

  borgmatic('borgmatic reports start, end and failure', async () => {
    const { uuid } = await stage.ada.check();
    const at = (name: string) => join(folder, uuid, name);
    mkdirSync(at('source'), { recursive: true });
    writeFileSync(join(at('source'), 'file'), 'content');
    const config = (repository: string) => `location:
    source_directories: ['${at('source')}']
    repositories: ['${at(repository)}']
hooks:
    healthchecks:
        ping_url: ${site()}/ping/${uuid}
`;
    writeFileSync(at('good.yaml'), config('repository'), { mode: 0o600 });
    writeFileSync(at('bad.yaml'), config('nothing'), { mode: 0o600 });
    const home = { HOME: at('home'), BORG_BASE_DIR: at('home') };
    const run = (file: string, ...words: string[]) =>
      say('borgmatic', ['--log-file', at('log'), '-c', at(file), ...words], home);
    await run('good.yaml', 'init', '--encryption', 'none');
    await run('good.yaml', 'create');
    expect(await typesOf(uuid)).toEqual(['success', 'start']);
    await expect(run('bad.yaml', 'create')).rejects.toThrow();
    expect((await typesOf(uuid))[0]).toBe('fail');
  });

  test('healthchecks-io-client pings and manages', async () => {
    const { uuid } = await stage.ada.check({ name: 'old' });
    const script = `
      const { HealthChecksPingClient, HealthChecksApiClient } = require(${JSON.stringify(library)});
      const [site, uuid, apiKey] = process.argv.slice(1);
      (async () => {
        const ping = new HealthChecksPingClient({ uuid, baseUrl: site + '/ping' });
        await ping.start(); await ping.success(); await ping.fail();
        const api = new HealthChecksApiClient({ apiKey, baseUrl: site });
        const made = await api.createCheck({ name: 'made', timeout: 3600 });
        await api.updateCheck(uuid, { name: 'renamed' });
        await api.pauseCheck(uuid);
        const { checks } = await api.getChecks();
        console.log(JSON.stringify(checks.map(({ name, status }) => name + ' ' + status)));
      })();`;
    const said = await say('node', ['-e', script, site(), uuid, stage.ada.keys.readWriteKey]);
    expect(JSON.parse(said)).toEqual(['renamed paused', 'made new']);
    expect(await typesOf(uuid)).toEqual(['fail', 'success', 'start']);
  });
});
