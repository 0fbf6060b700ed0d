// Makes dist/service of an app, next to dist/src: the same service in a few files, each entry under its own name. Node
// loads it in a third of the time that hundreds of modules take, which each start of the stack and each command pays.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
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
  // drivers of other databases, which typeorm names and nothing here uses
  logLevel: 'silent',
});
// a thread is started from the file of its entry, which is beside the others under the same name
await bundle.write({
  dir,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunk-[hash].js',
  keepNames: true,
});
