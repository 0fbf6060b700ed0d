import { join } from 'node:path';

/** Files that an ACME client on this machine has just renewed. */
export interface RenewedFiles {
  readonly names: readonly string[];
  /** PEM of the certificate, with or without its chain. */
  readonly certificate: string;
  readonly chain?: string;
  readonly key: string;
  /** Folder of the files. */
  readonly dir: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Files by the environment that certbot (`RENEWED_LINEAGE`, `RENEWED_DOMAINS`) and lego (`LEGO_CERT_PATH`,
 * `LEGO_CERT_KEY_PATH`, `LEGO_CERT_DOMAIN`) give to a deploy hook; undefined outside of one.
 */
export function renewedFiles(env: Environment): RenewedFiles | undefined {
  return ofCertbot(env) ?? ofLego(env);
}

function ofCertbot(env: Environment): RenewedFiles | undefined {
  const dir = env['RENEWED_LINEAGE'] || undefined;
  if (dir === undefined) return undefined;
  return {
    names: (env['RENEWED_DOMAINS'] ?? '').split(/[\s,]+/).filter((name) => name !== ''),
    certificate: join(dir, 'fullchain.pem'),
    key: join(dir, 'privkey.pem'),
    dir,
  };
}

function ofLego(env: Environment): RenewedFiles | undefined {
  const certificate = env['LEGO_CERT_PATH'] || undefined;
  const key = env['LEGO_CERT_KEY_PATH'] || undefined;
  if (certificate === undefined || key === undefined) return undefined;
  const name = env['LEGO_CERT_DOMAIN'] || undefined;
  return { names: name === undefined ? [] : [name], certificate, key, dir: join(certificate, '..') };
}
