// Starts the stack and runs the demo on Node 20, 22 and 24, each in a clone of its own of what is committed:
// npm run node-versions [-- 20 22]. The npm package "node" brings the binaries. Run it before a release.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const asked = process.argv.slice(2);
const versions = asked.length > 0 ? asked : ['20', '22', '24'];
const startMs = 900_000;

/** Standard output of the program. Throws with the end of all that it wrote when it fails. */
function run(program, args, options) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 256 * 1_048_576,
    ...options,
  });
  if (status === 0) return stdout.trim();
  const said = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-20).join('\n');
  throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? ''}\n${said}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return String(port);
}

/** The environment in which `node` is the binary of the version, which npm installs into the folder. */
async function environmentOf(version, folder) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `node@${version}`], { cwd: folder });
  const bin = join(folder, 'node_modules', 'node', 'bin');
  if (!existsSync(join(bin, process.platform === 'win32' ? 'node.exe' : 'node')))
    throw new Error(`npm installed no binary of Node ${version}: are install scripts switched off?`);
  return {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    CERTLOOP_DATA_DIR: join(folder, 'data'),
    CERT_MANAGER_PORT: await freePort(),
    CERT_MANAGER_HTTPS_PORT: await freePort(),
    CHECK_MONITOR_PORT: await freePort(),
    DUMMY_CA_PORT: await freePort(),
    DUMMY_CA_HTTPS_PORT: await freePort(),
  };
}

/** Runs `npm start` until it greets, then the demo against it, and stops it. Returns what the demo said last. */
async function demoIn(clone, env) {
  const log = join(env.CERTLOOP_DATA_DIR, '..', 'start.log');
  const stack = spawn('npm', ['start'], { cwd: clone, env, detached: true });
  let output = '';
  for (const stream of [stack.stdout, stack.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  const ended = once(stack, 'close');
  const greeted = (async () => {
    const until = Date.now() + startMs;
    while (!output.includes('Ctrl-C stops everything')) {
      if (Date.now() > until) throw new Error(`npm start takes more than ${startMs / 60_000} minutes`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  const died = ended.then(([code]) => {
    throw new Error(`npm start ended with ${code}`);
  });
  died.catch(() => undefined);
  try {
    await Promise.race([greeted, died]);
    return run('npm', ['run', 'demo', '--silent'], { cwd: clone, env }).split('\n').at(-1);
  } catch (error) {
    writeFileSync(log, output);
    throw new Error(`${error.message}\n${output.split('\n').slice(-20).join('\n')}`);
  } finally {
    if (stack.exitCode === null) process.kill(-stack.pid, 'SIGINT');
    await ended;
  }
}

let failed = 0;
for (const version of versions) {
  const folder = mkdtempSync(join(tmpdir(), `certloop-node-${version}-`));
  const began = Date.now();
  try {
    const env = await environmentOf(version, folder);
    const clone = join(folder, 'certloop');
    run('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone]);
    const { engines } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
    const exact = run('node', ['--version'], { env });
    const last = await demoIn(clone, env);
    console.log(
      `Node ${exact} (wants ${engines.node}): ${last} (${Math.round((Date.now() - began) / 1000)} s)`,
    );
  } catch (error) {
    failed += 1;
    console.log(`Node ${version} FAILED: ${error.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
process.exitCode = failed === 0 ? 0 : 1;
