// Checks the machine, installs what is missing and, with --build, builds. Written for any Node, so that an
// old one gets a sentence rather than a syntax error.
'use strict';
const { spawn, spawnSync } = require('child_process');
const { createHash } = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = path.join(__dirname, '..');
const stampFile = path.join(root, 'node_modules', '.certloop-install');

function stop(sentence) {
  process.stderr.write(`certloop: ${sentence}\n`);
  process.exit(1);
}

/** Whether a version such as 20.19.2 is in a range such as `^20.19 || >=24.11`. */
function satisfies(version, range) {
  const [major, minor] = version.split('.').map(Number);
  return range.split('||').some((part) => {
    const [, operator, wantedMajor, wantedMinor] = /(\^|>=)(\d+)\.(\d+)/.exec(part);
    if (major === Number(wantedMajor)) return minor >= Number(wantedMinor);
    return operator === '>=' && major > Number(wantedMajor);
  });
}

function checkNode() {
  const { engines } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  if (satisfies(process.versions.node, engines.node)) return;
  stop(
    `Node ${process.versions.node} does not fit; needed is Node 20.19 or later 20, 22.13 or later 22, or 24.11 and up`,
  );
}

/** What the installed dependencies depend on, as one word. */
function installKey() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules}`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) {
    hash.update(fs.readFileSync(path.join(root, file)));
  }
  return hash.digest('hex');
}

function isInstalled(key) {
  try {
    return fs.readFileSync(stampFile, 'utf8') === key;
  } catch (_) {
    return false;
  }
}

// Where SQLite is compiled: a third faster than with the driver's own -O3, and its statements take as long.
const env = { CFLAGS: '-O2', CXXFLAGS: '-O2', ...process.env };

function pnpm(args, stdio) {
  return spawnSync(process.execPath, [path.join(__dirname, 'pnpm.mjs'), ...args], {
    cwd: root,
    env,
    stdio,
    encoding: 'utf8',
  });
}

function missingCompilers() {
  const folders = (process.env.PATH || '').split(path.delimiter);
  return ['python3', 'make', 'g++'].filter(
    (tool) => !folders.some((folder) => fs.existsSync(path.join(folder, tool))),
  );
}

function sqliteLoads() {
  // The binding that packages/db loads on this Node.
  const name = Number(process.versions.node.split('.')[0]) < 22 ? 'better-sqlite3' : 'better-sqlite3-napi';
  const script = `new (require('${name}'))(':memory:').close()`;
  return spawnSync(process.execPath, ['-e', script], { cwd: path.join(root, 'packages', 'db') }).status === 0;
}

function reportFailure(result) {
  const missing = missingCompilers();
  if (missing.length > 0 && process.platform !== 'win32') {
    stop(
      `no prebuilt SQLite driver could be had; to compile it python3, make and g++ are needed (missing: ${missing.join(', ')})`,
    );
  }
  const output = `${result.stdout || ''}${result.stderr || ''}`.trimEnd().split('\n');
  process.stderr.write(`${output.slice(-40).join('\n')}\n`);
  stop('the dependencies could not be installed; the reason stands above');
}

/** Links the dependencies if they changed; undefined, or their install scripts, which still run, and their log. */
function install() {
  const key = installKey();
  if (isInstalled(key)) return undefined;
  process.stderr.write('certloop: installing dependencies (the first time takes about a minute)\n');
  const linked = pnpm(
    ['install', '--frozen-lockfile', '--ignore-scripts', '--config.confirmModulesPurge=false'],
    'pipe',
  );
  if (linked.status !== 0) reportFailure(linked);
  // To a file, as no one reads a pipe while the build runs.
  const log = path.join(root, 'node_modules', '.certloop-install.log');
  const output = fs.openSync(log, 'w');
  const scripts = spawn(process.execPath, [path.join(__dirname, 'pnpm.mjs'), 'rebuild', '--pending'], {
    cwd: root,
    env,
    stdio: ['ignore', output, output],
  });
  return { scripts, log, key };
}

function finishInstall({ log, key }, status) {
  if (status !== 0) reportFailure({ stdout: fs.readFileSync(log, 'utf8') });
  // A tree installed under another Node keeps that one's binary.
  if (!sqliteLoads()) {
    const rebuilt = pnpm(['rebuild', 'better-sqlite3'], 'pipe');
    if (rebuilt.status !== 0 || !sqliteLoads()) reportFailure(rebuilt);
  }
  fs.writeFileSync(stampFile, key);
}

function build() {
  return pnpm(['exec', 'turbo', 'run', 'build', '--output-logs=errors-only', '--log-prefix=none'], 'pipe');
}

function finishBuild(built) {
  if (built === undefined || built.status === 0) return;
  process.stderr.write(`${built.stdout}${built.stderr}`);
  stop('the build failed; the reason stands above');
}

checkNode();
const installing = install();
// SQLite's driver takes a minute to compile, on one core; the build does without it, and gives way to it.
if (installing !== undefined) os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
const built = process.argv.includes('--build') ? build() : undefined;
if (installing === undefined) {
  finishBuild(built);
} else {
  installing.scripts.on('exit', (status) => {
    finishInstall(installing, status);
    finishBuild(built);
  });
}
