import { createRequire } from 'node:module';

/** Stands for the version where the bundle is made, which has no package.json beside it. */
declare const CERTLOOP_BUNDLED_VERSION: string | undefined;

/** Whether this runs from the one file `certloop.mjs`. */
export const isBundled = typeof CERTLOOP_BUNDLED_VERSION === 'string';

/** Of the command line; that of the services is in their health. */
export const version: string =
  typeof CERTLOOP_BUNDLED_VERSION === 'string'
    ? CERTLOOP_BUNDLED_VERSION
    : createRequire(import.meta.url)('../../package.json').version;
