// Builds an earlier commit of this repository in a temporary folder.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const groups = ['apps', 'packages', 'web'];

/** Standard output of a program. Throws with the end of what it wrote if it fails. */
function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { maxBuffer: 1 << 30, ...options });
  if (status === 0) return stdout;
  const said = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-20).join('\n');
  throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? ''}\n${said}`);
}

/** Full name of a commit. Throws if the repository does not have it. */
export function commitOf(name) {
  return run('git', ['-C', root, 'rev-parse', '--verify', `${name}^{commit}`])
    .toString()
    .trim();
}

/**
 * Folder with the built tree of a commit. The dependencies are those of this tree if the lock file is the same, and are
 * installed otherwise. The cache of builds is that of this tree, so a second build of a commit takes seconds.
 */
export function buildEarlierTree(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'certloop-earlier-'));
  try {
    const archive = run('git', ['-C', root, 'archive', '--format=tar', commit]);
    run('tar', ['-x', '-C', folder], { input: archive });
    build(folder);
    return folder;
  } catch (error) {
    removeTree(folder);
    throw error;
  }
}

export function removeTree(folder) {
  rmSync(folder, { recursive: true, force: true });
}

function build(folder) {
  const env = {
    ...process.env,
    TURBO_CACHE_DIR: join(root, '.turbo', 'cache'),
    TURBO_TELEMETRY_DISABLED: '1',
  };
  const hasSameDependencies = ['pnpm-lock.yaml', 'pnpm-workspace.yaml'].every(
    (file) => readFileSync(join(folder, file), 'utf8') === readFileSync(join(root, file), 'utf8'),
  );
  if (!hasSameDependencies) {
    run(process.execPath, ['scripts/setup.cjs', '--build'], { cwd: folder, env });
    return;
  }
  linkDependencies(folder);
  const path = `${join(root, 'node_modules', '.certloop-bin')}${delimiter}${process.env.PATH}`;
  const turbo = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
  run(turbo, ['run', 'build', '--output-logs=errors-only'], {
    cwd: folder,
    env: { ...env, PATH: path, pnpm_config_verify_deps_before_run: 'false' },
  });
}

/** Links between packages are relative, so that copies of them lead to the packages of the folder. */
function linkDependencies(folder) {
  const packages = groups.flatMap((group) =>
    readdirSync(join(folder, group)).map((name) => join(group, name)),
  );
  for (const place of packages) {
    const modules = join(root, place, 'node_modules');
    if (existsSync(modules)) {
      cpSync(modules, join(folder, place, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    }
  }
  const [from, to] = [root, folder].map((tree) => join(tree, 'node_modules'));
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name.startsWith('@'))
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else if (name !== '.cache') symlinkSync(join(from, name), join(to, name));
  }
}
