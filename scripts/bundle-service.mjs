// Makes dist/service of an app, next to dist/src: the same service in a few files, each entry under its own name. Node
// loads it in a third of the time that hundreds of modules take, which each start of the stack and each command pays;
// from the second start on it is not compiled either (service-loader.cjs).
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

// native modules, and what loads one; they are found from the app
const native = ['sharp', 'pg-native'];

const [folder, ...entries] = process.argv.slice(2);
if (folder === undefined || entries.length === 0) {
  process.stderr.write('usage: node scripts/bundle-service.mjs FOLDER ENTRY…\n');
  process.exit(1);
}
const app = resolve(folder);
const dir = join(app, 'dist/service');
rmSync(dir, { recursive: true, force: true });
const bundle = await rolldown({
  input: entries.map((entry) => join(app, entry)),
  platform: 'node',
  external: native,
  plugins: [{ name: 'maps-of-tsc', load: readWithMap }],
  // drivers of other databases, which typeorm names and nothing here uses
  logLevel: 'silent',
});
await bundle.write({
  dir,
  // what service-loader.cjs loads
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunk-[hash].cjs',
  dynamicImportInCjs: false,
  keepNames: true,
  // for debuggers, which show the TypeScript of a bundle by it
  sourcemap: true,
});
copyFileSync(fileURLToPath(new URL('service-loader.cjs', import.meta.url)), join(dir, 'service-loader.cjs'));
// a thread is started from the file of its entry, which is beside the others under the same name
for (const entry of entries) {
  const name = basename(entry, '.js');
  writeFileSync(
    join(dir, `${name}.js`),
    `import load from './service-loader.cjs';\n\nload('${name}.cjs');\n`,
  );
}

/** Returns a compiled file of the project with the map to its TypeScript; nothing for a file without a map. */
function readWithMap(file) {
  const map = `${file}.map`;
  if (!file.includes('/dist/') || !existsSync(map)) return undefined;
  return { code: readFileSync(file, 'utf8'), map: readFileSync(map, 'utf8') };
}
