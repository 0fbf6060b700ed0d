// Build settings that the consoles share.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { accountContract, certManagerContract, checkMonitorContract, outlineOf } from '@certloop/contracts';
import react from '@vitejs/plugin-react';

const contracts = {
  'cert-manager': certManagerContract,
  'check-monitor': checkMonitorContract,
  'check-monitor-account': accountContract,
};
const virtualPrefix = 'virtual:certloop/';

/** Serves `virtual:certloop/<name>`, whose export `contract` is the contract of that name without its schemas. */
function outlinePlugin() {
  return {
    name: 'certloop-outline',
    resolveId: (id) => (id.startsWith(virtualPrefix) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${virtualPrefix}`)) return undefined;
      const contract = contracts[id.slice(virtualPrefix.length + 1)];
      if (contract === undefined) throw new Error(`${id.slice(1)}: there is no such contract`);
      return `export const contract = JSON.parse(${JSON.stringify(JSON.stringify(outlineOf(contract)))});`;
    },
  };
}

/**
 * Puts scheme.js and early.js before everything else of the page: light or dark is set before anything is painted, and
 * the first requests do not wait for the scripts. They are a file, as the content security policy of the page refuses
 * scripts within it.
 */
function earlyPlugin({ me, requests }) {
  const source = ['scheme.js', 'early.js']
    .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
    .join('');
  const digest = createHash('sha256').update(source).digest('base64url').slice(0, 8);
  const fileName = `assets/early-${digest}.js`;
  let root;
  let isBuild = false;
  return {
    name: 'certloop-early',
    configResolved(config) {
      root = config.root;
      isBuild = config.command === 'build';
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const first = () => JSON.stringify({ me, requests, parts: partsOf(root, bundle, html) });
        const tag = isBuild
          ? { attrs: { src: `./${fileName}`, 'data-first': first() } }
          : { children: source };
        return [{ tag: 'script', injectTo: 'head-prepend', ...tag }];
      },
    },
  };
}

const pageOfRoute = /path: '([^']+)'(?:(?!path: ').)*?import\('\.\/(pages\/[^']+)\.js'\)/gs;

/** Files that the page of each route needs beside those that the document names, by the path of the route. */
function partsOf(root, bundle, html) {
  const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
  const withImports = (name) =>
    html.includes(name) ? [] : [name, ...(bundle[name]?.imports ?? []).flatMap(withImports)];
  const filesOf = (page) => {
    const chunk = chunks.find(({ facadeModuleId: id }) => id === join(root, 'src', `${page}.tsx`));
    if (chunk === undefined) throw new Error(`${page}: no part has this page alone`);
    return [...new Set(withImports(chunk.fileName))];
  };
  const router = readFileSync(join(root, 'src/router.tsx'), 'utf8');
  return Object.fromEntries([...router.matchAll(pageOfRoute)].map(([, path, page]) => [path, filesOf(page)]));
}

/**
 * What several pages need is one part. Each on its own made thirty requests of the first visit, which takes a second
 * longer on a slow line.
 */
const sharedGroup = {
  name: 'shared',
  test: /\/web\/[^/]+\/src\/(?!pages\/)|@mantine\/core/,
  minShareCount: 2,
};

const packable = /\.(js|css|svg)$/;

/** Writes each asset in br and gzip beside it, so that no server compresses while someone waits. */
function packPlugin() {
  let folder;
  return {
    name: 'certloop-pack',
    apply: 'build',
    configResolved({ root, build }) {
      folder = join(root, build.outDir, 'assets');
    },
    async closeBundle() {
      const names = (await readdir(folder)).filter((name) => packable.test(name));
      await Promise.all(names.map((name) => pack(join(folder, name))));
    },
  };
}

async function pack(file) {
  const bytes = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

/**
 * Settings of a console. `service` is the address of a running service, to which `vite` in development hands on what
 * is not a page of the console. `first` names the requests that a page sends before its scripts are there: `me`, who
 * the user is, and for users who are signed in the `requests` of a page without a search, by the path of its route.
 */
export function consoleConfig(service, first) {
  return ({ command }) => ({
    // relative: the service may stand below a path of a proxy
    base: command === 'build' ? './' : '/ui/',
    plugins: [react(), outlinePlugin(), earlyPlugin(first), packPlugin()],
    build: {
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: { output: { codeSplitting: { groups: [sharedGroup] } } },
    },
    server: { port: 5173, strictPort: true, proxy: { '^/(?!ui/)': service } },
  });
}
