// The laws of the code as rules: slices import only slices printed before them, files without a role stay
// pure, and each library is used only where its role allows. scripts/laws/architecture.test.mjs proves they bite.
const { readdirSync } = require('node:fs');
const { join } = require('node:path');
const swc = require('@swc/core');
const sliceOrders = require('./scripts/laws/slice-orders.json');

// dependency-cruiser has swc parse every file without JSX
const { parseFileSync } = swc;
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') });

const root = process.env.ARCHITECTURE_ROOT ?? __dirname;
const notTests = ['\\.test\\.ts$', '/test/', '/testing/', 'testing\\.ts$'];

function sliceRules([app, slices]) {
  const known = new Set(slices);
  const stray = readdirSync(join(root, 'apps', app, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'migrations' && !known.has(entry.name))
    .map((entry) => entry.name);
  if (stray.length > 0)
    throw new Error(`apps/${app}/src: no place in the slice order for ${stray.join(', ')}`);
  return slices.map((slice, place) => ({
    name: `slice-order-${app}-${slice}`,
    comment: `${slice} may import only slices printed before it`,
    severity: 'error',
    from: { path: `^apps/${app}/src/${slice}/` },
    to: {
      path: [
        ...slices.slice(place + 1).map((later) => `^apps/${app}/src/${later}/`),
        `^apps/${app}/src/(main|app|database|cli)\\.ts$`,
        `^apps/${app}/src/migrations/`,
      ],
    },
  }));
}

// a slice may have folders of its own, which obey the same laws
const inSlice = '^apps/[^/]+/src/.+/';
const pureFile = `${inSlice}[^/.]+\\.ts$`;
const composition = '^apps/cert-manager/src/((parts|handlers|jobs)\\.service|api\\.responder)\\.ts$';
const roles = 'routes|middleware|service|repository|store|client|provider|channel|responder';

// What pages may import: a service is deployed with its pages, but shares nothing with them except contracts.
const pages = '^web/[^/]+/src/';
const pureOfKit = ['^web/kit/src/[^/.]+\\.ts$', '^web/kit/src/.+/[^/.]+\\.ts$'];
const kitFolders = [
  'audit',
  'badges',
  'charts',
  'display',
  'keys',
  'names',
  'operations',
  'people',
  'schedules',
  'settings',
  'styles',
  'unsaved',
  'life',
  'history',
  'service',
  'parts',
  'curl',
  'lists',
  'palette',
  'session',
  'frame',
];

/** A folder of the kit imports only folders before it; the files beside the folders import none. */
function kitRules() {
  const stray = readdirSync(join(root, 'web/kit/src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !kitFolders.includes(entry.name))
    .map((entry) => entry.name);
  if (stray.length > 0) throw new Error(`web/kit/src: no place in the order for ${stray.join(', ')}`);
  const rule = (name, from, later) => ({
    name: `kit-order-${name}`,
    comment: `${name} may import only folders of the kit before it`,
    severity: 'error',
    from,
    to: { path: [...later.map((folder) => `^web/kit/src/${folder}/`), '^web/kit/src/index\\.ts$'] },
  });
  return [
    rule('base', { path: '^web/kit/src/[^/]+\\.tsx?$', pathNot: '/index\\.ts$' }, kitFolders),
    ...kitFolders.map((folder, place) =>
      rule(
        folder,
        { path: `^web/kit/src/${folder}/`, pathNot: '\\.test\\.ts$' },
        kitFolders.slice(place + 1),
      ),
    ),
  ];
}

const webRules = [
  ...kitRules(),
  {
    name: 'consoles-stand-alone',
    comment: 'a console imports itself, the kit, the entry of contracts for browsers, and npm packages',
    severity: 'error',
    from: { path: '^web/([^/]+)/src/', pathNot: ['\\.test\\.ts$', '/virtual\\.d\\.ts$'] },
    to: {
      path: '^(apps|packages|web|bench|scripts)/',
      pathNot: ['^web/$1/src/', '^web/kit/', '^packages/contracts/(dist/)?src/browser\\.'],
    },
  },
  {
    name: 'kit-knows-no-console',
    severity: 'error',
    from: { path: '^web/kit/' },
    to: { path: '^web/', pathNot: '^web/kit/' },
  },
  {
    name: 'services-import-no-page',
    comment: 'a service finds the folder of its console, and imports nothing of it',
    severity: 'error',
    from: { path: '^(apps|packages)/' },
    to: { path: '^web/' },
  },
  {
    name: 'pages-know-no-node',
    severity: 'error',
    from: { path: pages, pathNot: '\\.test\\.ts$' },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'files-of-the-kit-stay-pure',
    comment:
      'a file without a role imports pure files and pure packages only, so that it can be tested without a browser',
    severity: 'error',
    from: { path: pureOfKit, pathNot: '/index\\.ts$' },
    to: { pathNot: [...pureOfKit, '^packages/contracts/', '/node_modules/punycode\\.js/'] },
  },
  {
    name: 'pages-import-no-other-pages',
    severity: 'error',
    from: { path: '^web/([^/]+)/src/pages/([^/]+)/' },
    to: { path: '^web/$1/src/pages/', pathNot: '^web/$1/src/pages/$2/' },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphan-import',
      comment: 'an import must resolve',
      severity: 'error',
      from: {},
      // the build serves what begins with virtual:
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
    ...Object.entries(sliceOrders).flatMap(sliceRules),
    {
      name: 'apps-stand-alone',
      comment: 'a service talks to another over HTTP, never by import',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'packages-know-no-app',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^apps/' },
    },
    {
      name: 'contracts-need-zod-only',
      severity: 'error',
      from: { path: '^packages/contracts/src/', pathNot: notTests },
      to: { pathNot: ['^packages/contracts/src/', 'node_modules/zod'] },
    },
    {
      name: 'pure-files-stay-pure',
      comment: 'a file without a role imports only pure files, contracts, crypto, and calculating libraries',
      severity: 'error',
      from: {
        path: pureFile,
        pathNot: '/migrations/',
      },
      to: {
        pathNot: [
          pureFile,
          '^apps/[^/]+/src/[^/.]+\\.ts$',
          '^packages/(contracts|crypto)/',
          '^packages/(acme-server|tls-probe)/dist/src/rules\\.',
          '^packages/server/dist/src/(http/json-size|outgoing/banned-ports)\\.',
          'node_modules/(luxon|cron-parser|lru-cache|zod|ipaddr\\.js|entities|libmime|@types/(luxon|libmime))/',
          '^(node:)?(crypto|net|url)$',
        ],
      },
    },
    {
      name: 'typeorm-in-repositories-only',
      severity: 'error',
      from: {
        path: '^apps/[^/]+/src/',
        pathNot: ['\\.repository\\.ts$', '/database\\.ts$', '/migrations/', ...notTests],
      },
      to: { path: 'node_modules/typeorm' },
    },
    {
      name: 'express-at-the-edge-only',
      severity: 'error',
      from: {
        path: '^apps/[^/]+/src/',
        pathNot: ['\\.(routes|middleware|responder)\\.ts$', '/app\\.ts$', ...notTests],
      },
      to: { path: 'node_modules/(@types/)?express' },
    },
    {
      name: 'composition-is-flat',
      comment: 'app.ts connects these files, which do not know each other',
      severity: 'error',
      from: { path: composition },
      to: { path: composition },
    },
    {
      name: 'routes-import-no-tables',
      severity: 'error',
      from: { path: '\\.routes\\.ts$' },
      to: { path: '\\.(repository|store)\\.ts$' },
    },
    {
      name: 'roles-are-a-closed-list',
      severity: 'error',
      from: {},
      to: {
        path: `${inSlice}[^/]+\\.[^/]+\\.ts$`,
        pathNot: [`\\.(${roles})\\.ts$`, '\\.test\\.ts$'],
      },
    },
    ...webRules,
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    baseDir: root,
    doNotFollow: { path: ['node_modules', '/dist/'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.css'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
    },
  },
};
