// Renews the picture of README: plays the story of the first certificate and copies what it shows to docs/pictures.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const at = (path) => fileURLToPath(new URL(path, root));

execFileSync(process.execPath, [at('scripts/setup.cjs'), '--build'], { stdio: 'inherit' });
execFileSync(
  process.execPath,
  [at('scripts/pnpm.mjs'), '--filter', '@certloop/e2e', 'run', 'test', 'console-stories'],
  { stdio: 'inherit', env: { ...process.env, CERTLOOP_TEST_SQLITE_ONLY: '1' } },
);
mkdirSync(at('docs/pictures'), { recursive: true });
for (const scheme of ['light', 'dark']) {
  copyFileSync(
    at(`run/pictures/first-certificate-valid-${scheme}-wide.png`),
    at(`docs/pictures/name-${scheme}.png`),
  );
}
