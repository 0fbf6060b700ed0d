// Proves that the laws of the code bite: a tree with one bad import a rule must be refused by each of them,
// and what dependency-cruiser cannot see (the environment, paths and links in documents) is checked here.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brokenLinks, unreachable } from '../document-links.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

const badTree = {
  'no-cycle': { 'apps/dummy-ca/src/signing/a.ts': './b.js', 'apps/dummy-ca/src/signing/b.ts': './a.js' },
  'slice-order-cert-manager-spaces': {
    'apps/cert-manager/src/spaces/early.ts': '../fqdns/late.js',
    'apps/cert-manager/src/fqdns/late.ts': undefined,
  },
  'apps-stand-alone': {
    'apps/check-monitor/src/checks/neighbour.service.ts': '../../../dummy-ca/src/signing/thing.js',
    'apps/dummy-ca/src/signing/thing.ts': undefined,
  },
  'packages-know-no-app': { 'packages/db/src/app.ts': '../../../apps/dummy-ca/src/signing/thing.js' },
  'contracts-need-zod-only': { 'packages/contracts/src/fat.ts': 'express' },
  'pure-files-stay-pure': { 'apps/dummy-ca/src/signing/pure.ts': 'node:fs' },
  'typeorm-in-repositories-only': { 'apps/cert-manager/src/fqdns/fqdns.service.ts': 'typeorm' },
  'express-at-the-edge-only': { 'apps/dummy-ca/src/signing/signing.service.ts': 'express' },
  'composition-is-flat': {
    'apps/cert-manager/src/jobs.service.ts': './parts.service.js',
    'apps/cert-manager/src/parts.service.ts': undefined,
  },
  'routes-import-no-tables': {
    'apps/cert-manager/src/fqdns/fqdns.routes.ts': './fqdns.repository.js',
    'apps/cert-manager/src/fqdns/fqdns.repository.ts': undefined,
  },
  'roles-are-a-closed-list': {
    'apps/dummy-ca/src/signing/c.service.ts': './signing.helper.js',
    'apps/dummy-ca/src/signing/signing.helper.ts': undefined,
  },
  'consoles-stand-alone': {
    'web/monitor/src/neighbour.tsx': '../../manager/src/page.js',
    'web/manager/src/page.tsx': undefined,
  },
  'kit-knows-no-console': {
    'web/kit/src/console.tsx': '../../manager/src/page.js',
    'web/manager/src/page.tsx': undefined,
  },
  'services-import-no-page': {
    'apps/dummy-ca/src/page.ts': '../../../web/kit/src/thing.js',
    'web/kit/src/thing.ts': undefined,
  },
  'pages-know-no-node': { 'web/manager/src/files.tsx': 'node:fs' },
  'files-of-the-kit-stay-pure': {
    'web/kit/src/session/pure.ts': './tabs.browser.js',
    'web/kit/src/session/tabs.browser.ts': undefined,
  },
  'kit-order-service': {
    'web/kit/src/service/early.browser.ts': '../session/late.js',
    'web/kit/src/session/late.ts': undefined,
  },
  'kit-order-base': { 'web/kit/src/base.tsx': './session/late.js' },
  'pages-import-no-other-pages': {
    'web/manager/src/pages/spaces/list.tsx': '../users/list.js',
    'web/manager/src/pages/users/list.tsx': undefined,
  },
};

// What else of the repository a page must not import.
const pageImports = {
  'a service': '../../../apps/dummy-ca/src/signing/thing.js',
  'the whole of contracts, which brings its schemas': '../../../packages/contracts/src/index.js',
};

// What the same laws must see in a folder within a slice or within a folder of the kit: the file that breaks the rule.
const deepTree = {
  'slice-order-check-monitor-integrations': {
    'apps/check-monitor/src/integrations/kinds/webhook/early.ts': '../../../checks/later.js',
    'apps/check-monitor/src/checks/later.ts': undefined,
  },
  'pure-files-stay-pure': { 'apps/check-monitor/src/integrations/kinds/webhook/pure.ts': 'node:fs' },
  'typeorm-in-repositories-only': {
    'apps/check-monitor/src/integrations/kinds/webhook/tables.service.ts': 'typeorm',
  },
  'express-at-the-edge-only': {
    'apps/check-monitor/src/integrations/kinds/webhook/webhook.channel.ts': 'express',
  },
  'routes-import-no-tables': {
    'apps/check-monitor/src/integrations/kinds/webhook/webhook.routes.ts': './webhook.repository.js',
    'apps/check-monitor/src/integrations/kinds/webhook/webhook.repository.ts': undefined,
  },
  'roles-are-a-closed-list': {
    'apps/check-monitor/src/integrations/kinds/webhook/user.service.ts': './webhook.helper.js',
    'apps/check-monitor/src/integrations/kinds/webhook/webhook.helper.ts': undefined,
  },
  'files-of-the-kit-stay-pure': {
    'web/kit/src/lists/rows/pure.ts': './rows.browser.js',
    'web/kit/src/lists/rows/rows.browser.ts': undefined,
  },
};

test('every law rejects a tree that breaks it', () => {
  const broken = new Set(violationsIn(badTree).map(({ rule }) => rule.name));
  assert.deepEqual(
    Object.keys(badTree).filter((rule) => !broken.has(rule)),
    [],
  );
});

test('a page imports nothing from the services, and only the entry for browsers from contracts', () => {
  const consoleBreaks = (target) =>
    violationsIn({
      any: {
        'web/manager/src/page.tsx': target,
        'apps/dummy-ca/src/signing/thing.ts': undefined,
        'packages/contracts/src/index.ts': undefined,
        'packages/contracts/src/browser.ts': undefined,
      },
    }).some(({ rule }) => rule.name === 'consoles-stand-alone');
  assert.deepEqual(
    Object.keys(pageImports).filter((what) => !consoleBreaks(pageImports[what])),
    [],
  );
  assert.equal(consoleBreaks('../../../packages/contracts/src/browser.js'), false);
});

test('every law applies to nested folders too', () => {
  const found = new Set(violationsIn(deepTree).map(({ rule, from }) => `${rule.name}: ${from}`));
  const expected = Object.entries(deepTree).map(([rule, files]) => `${rule}: ${Object.keys(files)[0]}`);
  assert.deepEqual(
    expected.filter((violation) => !found.has(violation)),
    [],
  );
});

/** What dependency-cruiser finds in a tree of files, given by rule; a file's value is what it imports. */
function violationsIn(filesByRule) {
  const tree = mkdtempSync(join(tmpdir(), 'certloop-laws-'));
  const write = (file, text) => {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  };
  try {
    for (const app of ['cert-manager', 'check-monitor', 'dummy-ca']) write(`apps/${app}/src/main.ts`, '');
    write('packages/db/src/index.ts', '');
    write('web/kit/src/index.ts', '');
    for (const library of ['express', 'typeorm']) {
      write(`node_modules/${library}/package.json`, JSON.stringify({ name: library, main: 'index.js' }));
      write(`node_modules/${library}/index.js`, '');
    }
    for (const files of Object.values(filesByRule)) {
      for (const [file, target] of Object.entries(files)) {
        write(
          file,
          (target === undefined
            ? 'export const x = 1;\n'
            : `import * as x from '${target}';\nexport { x };\n`) +
            (file.endsWith('.tsx') ? 'export const mark = <p>x</p>;\n' : ''),
        );
      }
    }
    const config = join(root, '.dependency-cruiser.cjs');
    const cruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const { stdout } = spawnSync(
      process.execPath,
      [cruise, '--config', config, '-T', 'json', 'apps', 'packages', 'web'],
      {
        cwd: tree,
        env: { ...process.env, ARCHITECTURE_ROOT: tree },
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      },
    );
    return JSON.parse(stdout).summary.violations;
  } finally {
    rmSync(tree, { recursive: true });
  }
}

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));

test('only config.ts reads the environment', () => {
  const readers = tracked.filter(
    (file) =>
      /^(apps|packages)\/[^/]+\/src\/.*\.ts$/.test(file) &&
      !/config\.ts$|\.test\.ts$|\/testing\//.test(file) &&
      /process\.env/.test(readFileSync(join(root, file), 'utf8')),
  );
  assert.deepEqual(readers, []);
});

/** What only files of the kit with the role `browser` may use, and what no page may. */
const browserOnly = /\b(?:fetch|setTimeout|setInterval|requestAnimationFrame)\(|\b(?:local|session)Storage\b/;
const never = /innerHTML|outerHTML|insertAdjacentHTML|document\.write/i;
const isOfBrowser = (file) => /^web\/kit\/src\/.+\.browser\.tsx?$/.test(file);

test('pages use the network, storage and timers only through the kit, and write no HTML', () => {
  const breaks = (file, text) => never.test(text) || (!isOfBrowser(file) && browserOnly.test(text));
  const sources = tracked.filter((file) => /^web\/[^/]+\/src\/.*\.tsx?$/.test(file));
  assert.ok(sources.length > 20);
  assert.deepEqual(
    sources.filter((file) => breaks(file, readFileSync(join(root, file), 'utf8'))),
    [],
  );
  const bad = [
    'await fetch(url)',
    'localStorage.x',
    'setTimeout(go, 1)',
    'dangerouslySetInnerHTML={{ __html }}',
  ];
  assert.deepEqual(
    bad.filter((text) => !breaks('web/manager/src/page.tsx', text)),
    [],
  );
  assert.equal(breaks('web/kit/src/service/api.browser.ts', 'await fetch(url)'), false);
  assert.equal(breaks('web/kit/src/service/api.browser.ts', 'element.innerHTML = text'), true);
});

test('sources of the apps check what a database can do, never which driver it has', () => {
  const sources = tracked.filter(
    (file) =>
      /^apps\/[^/]+\/src\/.*\.ts$/.test(file) &&
      /\bdataSource\.options\b/.test(readFileSync(join(root, file), 'utf8')),
  );
  assert.deepEqual(sources, []);
});

/** Comparisons with the name of a kind of provider in a text: what asks so has to be edited for each further kind. */
function comparisonsWithKinds(text) {
  const kind = `['"\`](?:${providerKinds.join('|')})['"\`]`;
  return text.match(new RegExp(`[!=]==? *${kind}|${kind} *[!=]==?|\\bcase *${kind}`, 'g')) ?? [];
}

const [, kindList = ''] =
  /providerKindNames = \[(.*)\]/.exec(
    readFileSync(join(root, 'packages/contracts/src/cert-manager/providers.ts'), 'utf8'),
  ) ?? [];
const providerKinds = [...kindList.matchAll(/'([\w-]+)'/g)].map(([, kind]) => kind);

test('only its own slice compares the kind of a provider, others check what the kind can do', () => {
  const sources = tracked.filter(
    (file) =>
      /^apps\/cert-manager\/src\/(?!providers\/).*\.ts$/.test(file) &&
      comparisonsWithKinds(readFileSync(join(root, file), 'utf8')).length > 0,
  );
  assert.deepEqual(sources, []);
  const bad = [
    "name === 'acme'",
    "'dummy-ca' !== kind",
    "case 'acme':",
    'name=="acme"',
    "name !=='dummy-ca'",
  ];
  assert.deepEqual(
    bad.filter((line) => comparisonsWithKinds(line).length === 0),
    [],
  );
  assert.deepEqual(comparisonsWithKinds("{ 'dummy-ca': one, acme: other }; by('acme')"), []);
});

const documents = tracked.filter((file) => file.endsWith('.md'));

/** Text of a document, '' for anything else that exists. */
function readPage(path) {
  if (!existsSync(join(root, path))) return undefined;
  return path.endsWith('.md') ? readFileSync(join(root, path), 'utf8') : '';
}

test('every path named in a document exists', () => {
  const named = /`((?:apps|packages|docs|scripts|bench|docker|\.ci)\/[\w./-]+)`/g;
  const missing = documents.flatMap((file) =>
    [...readPage(file).matchAll(named)]
      .filter(([, path]) => !existsSync(join(root, path)))
      .map(([, path]) => `${file}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test('every link of a document leads to a file, and to an existing heading if it names one', () => {
  assert.deepEqual(brokenLinks(documents, readPage), []);
});

test('the page of decisions stays short enough to be read', () => {
  assert.ok(Buffer.byteLength(readFileSync(join(root, 'docs/decisions.md'))) < 40_000);
});

test('README.md leads to each page', () => {
  const pages = documents.filter((file) => file.startsWith('docs/'));
  assert.deepEqual(unreachable('README.md', pages, readPage), []);
});

test('detects a broken link, and a page without a link to it', () => {
  const pages = {
    'README.md': '[a](docs/a.md#two-words-1) [b](docs/b.md) [there](https://example.org/#x) [here](#nowhere)',
    'docs/a.md':
      '## Two `words`\n## Two words\n[up](../README.md) [wrong](#two)\n```sh\n# three\n[c](c.md)\n```\n',
    'docs/c.md': '',
  };
  const read = (path) => pages[path];
  assert.deepEqual(brokenLinks(Object.keys(pages), read), [
    'README.md: docs/b.md',
    'README.md: #nowhere',
    'docs/a.md: #two',
  ]);
  assert.deepEqual(unreachable('README.md', Object.keys(pages), read), ['docs/c.md']);
});
