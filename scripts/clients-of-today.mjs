// Fetches the ACME clients and the ACME server of Debian's next release into run/clients-of-today, beside those of the
// machine's own release. Tests use them where they are; a machine or a mirror without them skips with a line.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const release = 'forky';
const packages = ['lego', 'caddy', 'pebble', 'acme.sh'];
// HAProxy needs newer libraries than this machine may have: it runs by the loader of its own release, with these
const haproxyPackages = [
  'haproxy',
  'libc6',
  'libcrypt1',
  'libgcc-s1',
  'libjemalloc2',
  'liblua5.4-0',
  'libopentracing-c-wrapper0t64',
  'libopentracing1',
  'libpcre2-8-0',
  'libssl3t64',
  'libstdc++6',
  'libzstd1',
  'zlib1g',
];
const folder = fileURLToPath(new URL('../run/clients-of-today/', import.meta.url));
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

class Skipped extends Error {}

/** Standard output of the program. Throws Skipped with the last line that it wrote when it fails. */
function run(program, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    timeout: 60_000,
  });
  if (status === 0) return stdout;
  const reason = error?.message ?? stderr.trim().split('\n').at(-1);
  throw new Skipped(`${program} ${args.at(-1)}: ${reason}`);
}

/** Addresses of the archives that this machine's packages come from, that of its own release first. */
function archives() {
  const osRelease = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!/^ID="?debian"?$/m.test(osRelease)) throw new Skipped('this machine does not run Debian');
  const [, codename] = /^VERSION_CODENAME="?(\w+)"?$/m.exec(osRelease) ?? [];
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const targets = run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  const rows = targets.split('\n').map((line) => line.split(' '));
  // "bookworm-updates" and "bookworm-security" lie in archives that need not have another release
  const whole = rows.filter(([, suite, component]) => component === 'main' && !suite.includes('-'));
  const own = whole.filter(([, suite]) => suite === codename);
  const addresses = [...new Set([...own, ...whole].map(([address]) => address))];
  if (addresses.length === 0) throw new Skipped('apt names no archive with a component main');
  return addresses;
}

/** Options that give apt a place of its own: nothing of the machine's lists, status or caches is read or changed. */
function privateApt(address) {
  const apt = join(folder, 'apt');
  for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(apt, part), { recursive: true });
  writeFileSync(join(apt, 'status'), '');
  // Without Debian's keyring apt asks the keys that the machine trusts for every archive.
  const signedBy = existsSync(keyring) ? `[signed-by=${keyring}] ` : '';
  writeFileSync(join(apt, 'sources.list'), `deb ${signedBy}${address} ${release} main\n`);
  const options = {
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State': apt,
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': apt,
    // the folder belongs to the caller, not to apt's user
    'APT::Sandbox::User': '',
    'APT::Update::Error-Mode': 'any',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '15',
    'Acquire::https::Timeout': '15',
  };
  return ['-q', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

/** The options of apt for the first of the archives that has the release. */
function openArchive() {
  const refusals = [];
  for (const address of archives()) {
    const options = privateApt(address);
    try {
      run('apt-get', [...options, 'update']);
      return options;
    } catch (error) {
      refusals.push(error.message);
    }
  }
  throw new Skipped(refusals.join('; '));
}

try {
  rmSync(folder, { recursive: true, force: true });
  const options = openArchive();
  const archivesFolder = join(folder, 'apt', 'archives');
  run('apt-get', [...options, 'download', ...packages], archivesFolder);
  try {
    run('apt-get', [...options, 'download', ...haproxyPackages], archivesFolder);
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    console.log(`clients of today: no HAProxy, so tests of it are skipped: ${error.message}`);
  }
  const files = readdirSync(archivesFolder).filter((name) => name.endsWith('.deb'));
  for (const file of files) run('dpkg-deb', ['-x', join(archivesFolder, file), folder]);
  // lists and packages take 50 MB
  rmSync(join(folder, 'apt'), { recursive: true });
  console.log(`clients of today: ${files.map((file) => file.split('_').slice(0, 2).join(' ')).join(', ')}`);
} catch (error) {
  if (!(error instanceof Skipped)) throw error;
  rmSync(folder, { recursive: true, force: true });
  console.log(`clients of today: none of Debian ${release}, so tests of them are skipped: ${error.message}`);
}
