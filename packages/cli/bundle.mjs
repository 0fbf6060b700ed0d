// Makes dist/bundle/certloop.mjs, the whole command line in one file that needs only Node, with its checksum.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const here = dirname(fileURLToPath(import.meta.url));
const maxBytes = 2 * 1024 * 1024;
const { values } = parseArgs({ options: { dir: { type: 'string' } } });
const folder = values.dir === undefined ? join(here, 'dist/bundle') : resolve(values.dir);
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));

const input = join(here, 'dist/src/main.js');
if (!existsSync(input)) {
  process.stderr.write('certloop: the command line is not built; run npm run build first\n');
  process.exit(1);
}
const bundle = await rolldown({
  input,
  platform: 'node',
  transform: { define: { CERTLOOP_BUNDLED_VERSION: JSON.stringify(version) } },
});
const { output } = await bundle.generate({
  format: 'esm',
  codeSplitting: false,
  comments: { legal: false },
  // names stay, so that a stack trace can be read
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
const [{ code, imports, moduleIds }] = output;
const foreign = imports.filter((name) => !name.startsWith('node:'));
if (output.length !== 1 || foreign.length > 0)
  throw new Error(
    `the bundle does not stand alone: ${[...foreign, ...output.slice(1).map((o) => o.fileName)]}`,
  );

const text = `#!/usr/bin/env node\n${code.trimEnd()}\n${notices(moduleIds)}`;
if (Buffer.byteLength(text) > maxBytes) throw new Error(`the bundle is larger than ${maxBytes} bytes`);
mkdirSync(folder, { recursive: true });
const file = join(folder, 'certloop.mjs');
writeFileSync(file, text);
chmodSync(file, 0o755);
const checksum = createHash('sha256').update(text).digest('hex');
// as `sha256sum --check` reads it
writeFileSync(`${file}.sha256`, `${checksum}  certloop.mjs\n`);
process.stdout.write(`${file}  ${Math.ceil(text.length / 1024)} KiB  sha256 ${checksum}\n`);

/** Names and licenses of the packages within, which their licenses ask for. */
function notices(modules) {
  const roots = new Set(
    modules.flatMap((id) => /^(?:\0)?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
  );
  const texts = [...roots].sort().map((root) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const licenseFile = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
    const terms =
      licenseFile === undefined ? '' : `\n${readFileSync(join(root, licenseFile), 'utf8').trim()}`;
    return `${name} ${version} (${license})${terms}`;
  });
  return `/*\n${texts.join('\n\n').replaceAll('*/', '* /')}\n*/\n`;
}
