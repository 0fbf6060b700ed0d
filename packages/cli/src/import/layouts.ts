import { basename, join } from 'node:path';
import type { ImportSource } from '@certloop/contracts';

/** Tools with files of their own for each certificate. */
export type FolderTool = Exclude<ImportSource, 'traefik' | 'pem'>;

/** Files of one certificate, as a tool stores them. */
export interface Lineage {
  /** Host names by which the tool may know the certificate, the likeliest first. */
  readonly names: readonly string[];
  /** The path that people are shown. */
  readonly path: string;
  /** Files of the certificate and its intermediates; empty if there is only a key. */
  readonly certificateFiles: readonly string[];
  /** Files that may hold its key, the likeliest first. */
  readonly keyFiles: readonly string[];
}

export interface Layout {
  /** Folders below the given one in which certificates may be, by the parts of their paths; `*` is any folder. */
  readonly folders: readonly (readonly string[])[];
  /** The certificates of a folder with these files. */
  readonly lineagesIn: (folder: string, files: readonly string[]) => Lineage[];
  /** The paths that people may give, for a sentence. */
  readonly where: string;
}

export const layouts: Readonly<Record<FolderTool, Layout>> = {
  certbot: {
    folders: [['live', '*'], ['*'], []],
    lineagesIn: (folder, files) => {
      const name = basename(folder);
      // certbot appends a number to the second certificate of a name
      return ofFolder(folder, files, [name, name.replace(/-\d{4}$/, '')]);
    },
    where: '/etc/letsencrypt, its folder live, or one folder of that',
  },
  dehydrated: {
    folders: [['certs', '*'], ['*'], []],
    lineagesIn: (folder, files) => ofFolder(folder, files, [basename(folder)]),
    where: '/var/lib/dehydrated, its folder certs, or one folder of that',
  },
  'acme.sh': {
    folders: [['.acme.sh', '*'], ['*'], []],
    lineagesIn: acmeShLineages,
    where: '~/.acme.sh or one folder of it',
  },
  lego: {
    folders: [['certificates'], ['.lego', 'certificates'], []],
    lineagesIn: (folder, files) =>
      ofPairs(folder, files, ['.issuer.crt'], (stem) => stem.replace(/^_\./, '*.')),
    where: 'the folder of --path, such as .lego, or its folder certificates',
  },
  caddy: {
    folders: [
      ['certificates', '*', '*'],
      ['caddy', 'certificates', '*', '*'],
      ['.local', 'share', 'caddy', 'certificates', '*', '*'],
      ['*', '*'],
      ['*'],
      [],
    ],
    lineagesIn: (folder, files) => ofPairs(folder, files, [], (stem) => stem.replace(/^wildcard_\./, '*.')),
    where: 'the data folder of Caddy, such as ~/.local/share/caddy, or its folder certificates',
  },
};

/** The certificate of a folder with the files of certbot and dehydrated. */
function ofFolder(folder: string, files: readonly string[], names: readonly string[]): Lineage[] {
  const chain = files.includes('fullchain.pem') ? ['fullchain.pem'] : ['cert.pem', 'chain.pem'];
  const certificateFiles = files.includes('fullchain.pem') || files.includes('cert.pem') ? chain : [];
  if (certificateFiles.length === 0 && !files.includes('privkey.pem')) return [];
  const present = certificateFiles.filter((file) => files.includes(file));
  return [lineageOf(folder, { names, certificateFiles: present, keyFiles: ['privkey.pem'] })];
}

function acmeShLineages(folder: string, files: readonly string[]): Lineage[] {
  // the folder of a certificate with an EC key has this end; its files do not
  const name = basename(folder).replace(/_ecc$/, '');
  const leaf = `${name}.cer`;
  const keyFiles = [`${name}.key`];
  if (files.includes('fullchain.cer')) {
    return [lineageOf(folder, { names: [name], certificateFiles: ['fullchain.cer'], keyFiles })];
  }
  const certificateFiles = files.includes(leaf)
    ? [leaf, 'ca.cer'].filter((file) => files.includes(file))
    : [];
  const isThere = certificateFiles.length > 0 || files.includes(`${name}.key`);
  return isThere ? [lineageOf(folder, { names: [name], certificateFiles, keyFiles })] : [];
}

/** Certificates of a folder with a file NAME.crt for each, and files of the same name with other ends. */
function ofPairs(
  folder: string,
  files: readonly string[],
  issuerEnds: readonly string[],
  nameOf: (stem: string) => string,
): Lineage[] {
  const isIssuer = (file: string) => issuerEnds.some((end) => file.endsWith(end));
  const stemsOf = (end: string) =>
    files.filter((file) => file.endsWith(end) && !isIssuer(file)).map((file) => file.slice(0, -end.length));
  return [...new Set([...stemsOf('.crt'), ...stemsOf('.key')])].map((stem) => {
    const certificateFiles = [`${stem}.crt`, ...issuerEnds.map((end) => `${stem}${end}`)].filter((file) =>
      files.includes(file),
    );
    return lineageOf(folder, { names: [nameOf(stem)], certificateFiles, keyFiles: [`${stem}.key`] });
  });
}

function lineageOf(folder: string, { names, certificateFiles, keyFiles }: Omit<Lineage, 'path'>): Lineage {
  const at = (file: string) => join(folder, file);
  const [first] = certificateFiles;
  return {
    names,
    path: first === undefined ? folder : at(first),
    certificateFiles: certificateFiles.map(at),
    keyFiles: keyFiles.map(at),
  };
}

const keyName = /(^|[^a-z])(priv(ate)?[-_.]?)?key\d*$|(^|[^a-z])private$/i;

/** Whether a file is named as that of a private key, which is opened only to make a CSR. */
export function isNamedAsKey(file: string): boolean {
  const name = basename(file);
  return /\.key$/i.test(name) || keyName.test(name.replace(/\.(pem|crt|cer|cert)$/i, ''));
}

/** Whether a file of a folder is read for certificates in PEM. */
export function isNamedAsPem(file: string): boolean {
  return /\.(pem|crt|cer|cert)$/i.test(file) && !isNamedAsKey(file);
}

/** Whether a file of a folder is read as Traefik's storage of certificates. */
export function isNamedAsTraefikStore(file: string): boolean {
  return /^acme.*\.json$/i.test(file);
}

/** Files that may hold the key of a certificate in a PEM file: that file, and those that programs put beside it. */
export function keyFilesBeside(file: string): string[] {
  const name = basename(file);
  const folder = file.slice(0, file.length - name.length);
  const stem = name.replace(/\.(pem|crt|cer|cert)$/i, '');
  const number = /^(?:cert|fullchain|chain)(\d+)$/.exec(stem)?.[1] ?? '';
  const beside = [`${stem}.key`, `${stem}-key.pem`, `${stem}.key.pem`, `privkey${number}.pem`, 'key.pem'];
  // Debian has certificates in /etc/ssl/certs and keys in /etc/ssl/private
  return [file, ...beside.map((key) => `${folder}${key}`), join(folder, '..', 'private', `${stem}.key`)];
}
