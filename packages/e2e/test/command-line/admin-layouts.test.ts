import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type AdministeredService, findServiceCli } from '@certloop/cli/dist/src/commands/service-cli.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const execute = promisify(execFile);
const checkout = fileURLToPath(new URL('../../../../..', import.meta.url));
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'certloop-layouts-'));
});
afterEach(() => rm(root, { recursive: true }));

/** As docker/Dockerfile makes it: the files of the package in /app. */
async function makeImage(app: AdministeredService): Promise<string> {
  const built = join(checkout, 'apps', app);
  const { files, name } = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'));
  await mkdir(join(root, 'app', 'dist'), { recursive: true });
  await writeFile(join(root, 'app', 'package.json'), JSON.stringify({ name }));
  for (const folder of files.filter((each: string) => !each.startsWith('!')))
    await symlink(join(built, folder), join(root, 'app', folder));
  return join(root, 'app');
}

/** As docs/deploy.md says for systemd: the built checkout in /opt/certloop. */
async function makeUnits(): Promise<string> {
  await mkdir(join(root, 'opt'));
  await symlink(checkout, join(root, 'opt', 'certloop'));
  return join(root, 'opt', 'certloop');
}

/** Where certloop.mjs is in both. */
const installed = () => ({ home: undefined, file: join(root, 'usr/local/bin/certloop.mjs'), root });

const settings = (app: AdministeredService) => ({
  [app === 'cert-manager' ? 'CERT_MANAGER_DATABASE_URL' : 'CHECK_MONITOR_DATABASE_URL']:
    `sqlite:${join(root, app)}.sqlite`,
  CHECK_MONITOR_SECRET: 'a secret for tests only',
});

const printed = {
  'cert-manager': 'the database is up to date\n',
  'check-monitor': expect.stringMatching(/^migrations: 0001-initial,/),
};

describe.each(['cert-manager', 'check-monitor'] as const)('certloop admin of %s', (app) => {
  test('runs in the layout of the image', async () => {
    const folder = await makeImage(app);
    const cli = await findServiceCli(app, installed());
    expect(cli).toBe(join(folder, 'dist/src/cli.js'));
    const { stdout } = await execute(process.execPath, [cli, 'migrate'], { cwd: root, env: settings(app) });
    expect(stdout).toEqual(printed[app]);
  });

  test('runs in the layout of the systemd units', async () => {
    const folder = await makeUnits();
    const cli = await findServiceCli(app, installed());
    expect(cli).toBe(join(folder, 'apps', app, 'dist/service/cli.js'));
    const { stdout } = await execute(process.execPath, [cli, 'migrate'], { cwd: root, env: settings(app) });
    expect(stdout).toEqual(printed[app]);
  });

  test('prefers CERTLOOP_HOME, then the checkout that contains the command line', async () => {
    await makeImage(app);
    const own = join(checkout, 'apps', app, 'dist/service/cli.js');
    expect(await findServiceCli(app, { ...installed(), home: checkout })).toBe(own);
    const file = join(checkout, 'packages/cli/dist/bundle/certloop.mjs');
    expect(await findServiceCli(app, { ...installed(), file })).toBe(own);
    await expect(findServiceCli(app, { ...installed(), home: join(root, 'nowhere') })).rejects.toThrow(
      `${app} is not installed here: run this where it runs, such as docker compose exec ${app} certloop admin`,
    );
  });

  test('rejects a service that is missing, is another one, or is not built', async () => {
    const other = app === 'cert-manager' ? 'check-monitor' : 'cert-manager';
    await makeImage(other);
    await expect(findServiceCli(app, installed())).rejects.toThrow(`${app} is not installed here`);
    const folder = join(root, 'opt/certloop/apps', app);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), `{"name": "@certloop/${app}"}`);
    await expect(findServiceCli(app, installed())).rejects.toThrow(
      `${folder} is not built: run npm run build`,
    );
  });
});

test('the search matches the paths of services and command line in the Dockerfile and the units', async () => {
  const [dockerfile, ...units] = await Promise.all(
    ['Dockerfile', 'systemd/cert-manager.service', 'systemd/check-monitor.service'].map((name) =>
      readFile(join(checkout, 'docker', name), 'utf8'),
    ),
  );
  expect(dockerfile).toContain('COPY --from=build --chown=root:root /app /app\n');
  expect(dockerfile).toContain('COPY --from=build --chown=root:root /certloop/ /usr/local/bin/\n');
  for (const unit of units) expect(unit).toMatch(/^WorkingDirectory=\/opt\/certloop\/apps\/[\w-]+$/m);
});
