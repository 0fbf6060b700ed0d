// Runs one file of tests without a build of everything: compiles its package, and those that it imports, where a source is
// newer than what was compiled of it. Bundles and consoles are left as they are, so tests that start a service or open a
// page need `npm run build`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolders } from './tests/packages.mjs';

const [path, ...options] = process.argv.slice(2);
const file = path === undefined ? undefined : resolve(path);
const folder = packageFolders.find((one) => file?.startsWith(`${one}/`));
if (file === undefined || folder === undefined || !existsSync(file)) {
  process.stderr.write('usage: npm run test:file -- apps/APP/test/FILE.test.ts [vitest options]\n');
  process.exit(1);
}
const tsc = fileURLToPath(new URL('../node_modules/typescript/lib/tsc.js', import.meta.url));
const manifestOf = (one) => JSON.parse(readFileSync(join(one, 'package.json'), 'utf8'));
const byName = new Map(packageFolders.map((one) => [manifestOf(one).name, one]));

for (const one of withImports(folder)) compile(one);
const compiled = join('dist', relative(folder, file)).replace(/\.tsx?$/, '.js');
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const config = fileURLToPath(new URL('../vitest.config.mjs', import.meta.url));
run([vitest, 'run', '--config', config, compiled, ...options], folder);

/** The packages that a package imports, before those that import them, and itself; the consoles are only served. */
function withImports(one, found = new Set()) {
  const { dependencies = {}, devDependencies = {} } = manifestOf(one);
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const imported = byName.get(name);
    if (imported !== undefined && !imported.includes('/web/') && !found.has(imported))
      withImports(imported, found);
  }
  return found.add(one);
}

function compile(one) {
  const sources = Math.max(newestIn(join(one, 'src')), newestIn(join(one, 'test')));
  if (sources < newestIn(join(one, 'dist/src'))) return;
  run([tsc, '-p', one], one);
}

/** When a file of the folder was changed last, in milliseconds; 0 without files. */
function newestIn(one) {
  if (!existsSync(one)) return 0;
  const files = readdirSync(one, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(0, ...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}

function run(args, cwd) {
  const { status } = spawnSync(process.execPath, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
