import { createRequire } from 'node:module';

/** The version, which the bundler inserts: the bundle has no package.json beside it. */
declare const CERTLOOP_BUNDLED_VERSION: string | undefined;

/** Whether this runs from the one file `certloop.mjs`. */
export const isBundled = typeof CERTLOOP_BUNDLED_VERSION === 'string';

/** Version of the command line; the services report theirs in /health. */
export const version: string =
  typeof CERTLOOP_BUNDLED_VERSION === 'string'
    ? CERTLOOP_BUNDLED_VERSION
    : createRequire(import.meta.url)('../../package.json').version;
