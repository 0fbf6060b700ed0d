// Checks the machine, installs what is missing and, with --build, builds. Written for any Node, so that an
// old one gets a sentence rather than a syntax error.
'use strict';
const { spawn, spawnSync } = require('child_process');
const { createHash } = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = path.join(__dirname, '..');
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.certloop-install');
const pnpmFile = path.join(__dirname, 'pnpm.mjs');

function say(sentence) {
  process.stderr.write(`certloop: ${sentence}\n`);
}

function stop(sentence) {
  say(sentence);
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

/** What the installed dependencies depend on: the folder and the home, too, since pnpm's store is there. */
function installKey() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules}`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) {
    hash.update(fs.readFileSync(path.join(root, file)));
  }
  return { dependencies: hash.digest('hex'), place: `${root} of ${os.homedir()}` };
}

/**
 * Whether the dependencies are installed. In a folder that was copied or moved, or is used from another home, they are if
 * all links lead somewhere and the driver loads: then nothing is installed, which would need a network.
 */
function isInstalled({ dependencies, place }) {
  let stamp = '';
  try {
    stamp = fs.readFileSync(stampFile, 'utf8');
  } catch (_) {
    return false;
  }
  const [installed, installedAt] = stamp.split('\n');
  if (installed !== dependencies) return false;
  if (installedAt === place) return true;
  if (!linksResolve() || !sqliteLoads()) return false;
  writeStamp({ dependencies, place });
  return true;
}

function writeStamp({ dependencies, place }) {
  // a copy may share the file with its original
  fs.writeFileSync(`${stampFile}.new`, `${dependencies}\n${place}\n`);
  fs.renameSync(`${stampFile}.new`, stampFile);
}

/** Whether every dependency of every package of this folder is there. */
function linksResolve() {
  const packages = ['apps', 'packages', 'web'].flatMap((group) =>
    fs.readdirSync(path.join(root, group)).map((name) => path.join(root, group, name)),
  );
  return [root, ...packages].every((folder) => {
    const linked = path.join(folder, 'node_modules');
    if (!fs.existsSync(linked)) return !fs.existsSync(path.join(folder, 'package.json'));
    return fs
      .readdirSync(linked)
      .flatMap((name) =>
        name.startsWith('@')
          ? fs.readdirSync(path.join(linked, name)).map((n) => path.join(name, n))
          : [name],
      )
      .every((name) => fs.existsSync(path.join(linked, name)));
  });
}

// Where SQLite is compiled: a third faster than with the driver's own -O3, and its statements take as long.
const env = { CFLAGS: '-O2', CXXFLAGS: '-O2', ...process.env };

/** Runs a script of Node; resolves with its exit code and all that it wrote. */
function run(script, args, more) {
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(process.execPath, [script, ...args], { cwd: root, env: { ...env, ...more }, stdio });
    const said = [];
    child.stdout.on('data', (chunk) => said.push(chunk));
    child.stderr.on('data', (chunk) => said.push(chunk));
    child.on('close', (status) => resolve({ status, output: Buffer.concat(said).toString('utf8') }));
  });
}

/** Says what takes so long, after 2 s and then every 15 s, until the work is done. */
function withProgress(what, work) {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const first = setTimeout(() => say(what), 2000);
  const further = setInterval(() => say(`${what} (${seconds()} s so far)`), 15000);
  return work.then((result) => {
    clearTimeout(first);
    clearInterval(further);
    return result;
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

function reportFailure({ output }) {
  const missing = missingCompilers();
  if (missing.length > 0 && process.platform !== 'win32') {
    stop(
      `no prebuilt SQLite driver could be had; to compile it python3, make and g++ are needed (missing: ${missing.join(', ')})`,
    );
  }
  process.stderr.write(`${output.trimEnd().split('\n').slice(-40).join('\n')}\n`);
  stop('the dependencies could not be installed; the reason stands above');
}

/** Links the dependencies. */
async function link() {
  say('installing dependencies (the first time takes about a minute)');
  const args = ['install', '--frozen-lockfile', '--ignore-scripts', '--config.confirmModulesPurge=false'];
  const linked = await withProgress('still installing dependencies', run(pnpmFile, args));
  if (linked.status !== 0) reportFailure(linked);
}

/** Runs the install scripts of the dependencies. */
async function compileDrivers(key) {
  const scripts = await run(pnpmFile, ['rebuild', '--pending']);
  if (scripts.status !== 0) reportFailure(scripts);
  // A tree installed under another Node keeps that one's binary.
  if (!sqliteLoads()) {
    const rebuilt = await run(pnpmFile, ['rebuild', 'better-sqlite3']);
    if (rebuilt.status !== 0 || !sqliteLoads()) reportFailure(rebuilt);
  }
  writeStamp(key);
}

/**
 * Runs turbo itself, not by pnpm, which would install first. Turbo calls pnpm only for packages that it has to build:
 * a command of that name leads it to pnpm.mjs.
 */
function build() {
  const folder = path.join(modules, '.certloop-bin');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'pnpm'), `#!/bin/sh\nexec node "${pnpmFile}" "$@"\n`, { mode: 0o755 });
  fs.writeFileSync(path.join(folder, 'pnpm.cmd'), `@node "${pnpmFile}" %*\r\n`);
  const name = Object.keys(env).find((variable) => variable.toUpperCase() === 'PATH') || 'PATH';
  const turbo = path.join(modules, 'turbo', 'bin', 'turbo');
  return run(turbo, ['run', 'build', '--output-logs=errors-only', '--log-prefix=none'], {
    TURBO_TELEMETRY_DISABLED: '1',
    // setup has installed already
    pnpm_config_verify_deps_before_run: 'false',
    [name]: `${folder}${path.delimiter}${env[name]}`,
  });
}

async function setUp() {
  checkNode();
  const key = installKey();
  const needsInstall = !isInstalled(key);
  if (needsInstall) await link();
  const compiled = needsInstall ? compileDrivers(key) : undefined;
  // SQLite's driver takes a minute to compile, on one core; the build does without it, and gives way to it.
  if (needsInstall) os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
  const building = process.argv.includes('--build') ? build() : undefined;
  const what = needsInstall ? 'still installing and building' : 'building what has changed';
  const [, built] = await withProgress(what, Promise.all([compiled, building]));
  if (built === undefined || built.status === 0) return;
  process.stderr.write(built.output);
  stop('the build failed; the reason stands above');
}

setUp().catch((error) => stop(error.stack));
