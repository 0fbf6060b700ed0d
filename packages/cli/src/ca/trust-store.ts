import { join } from 'node:path';

/** Where a machine keeps the roots that it trusts, and what makes it read them again. */
export interface TrustStore {
  /** File for the root. */
  readonly file: string;
  /** Program and arguments after the file was written, and after it was removed. */
  readonly afterInstall: readonly string[];
  readonly afterRemove: readonly string[];
}

/** Folders by which a kind of machine is known. */
export const storeFolders = {
  debian: '/usr/local/share/ca-certificates',
  redHat: '/etc/pki/ca-trust/source/anchors',
} as const;

const name = 'certloop-dummy-ca';

/**
 * The store of a machine of the platform (as Node names it) that has the folders, below the folder of its files.
 * Undefined if there is none that we know.
 */
export function trustStoreOf(
  platform: NodeJS.Platform,
  has: (folder: string) => boolean,
  below = '/',
): TrustStore | undefined {
  const at = (path: string) => join(below, path);
  if (platform === 'darwin') return macOsStore(at(`/Library/Application Support/CertLoop/${name}.pem`));
  if (has(at(storeFolders.debian))) {
    const elsewhere = [
      '--localcertsdir',
      at(storeFolders.debian),
      '--etccertsdir',
      at('/etc/ssl/certs'),
      // those of this machine would write to its own stores, such as that of Java
      '--hooksdir',
      at('/etc/ca-certificates/update.d'),
    ];
    const update = ['update-ca-certificates', ...(below === '/' ? [] : elsewhere)];
    const file = at(`${storeFolders.debian}/${name}.crt`);
    return { file, afterInstall: update, afterRemove: [...update, '--fresh'] };
  }
  if (has(at(storeFolders.redHat))) {
    const update = [...(below === '/' ? [] : ['chroot', below]), 'update-ca-trust', 'extract'];
    return { file: at(`${storeFolders.redHat}/${name}.pem`), afterInstall: update, afterRemove: update };
  }
  return undefined;
}

function macOsStore(file: string): TrustStore {
  const keychain = '/Library/Keychains/System.keychain';
  return {
    file,
    afterInstall: ['security', 'add-trusted-cert', '-d', '-r', 'trustRoot', '-k', keychain, file],
    afterRemove: ['security', 'delete-certificate', '-c', 'CertLoop Dummy CA Root', keychain],
  };
}

/** How programs are shown the root in the file, a line each. */
export const trustHints: readonly string[] = [
  'certloop ca trust > root.pem, and then one of these:',
  'curl --cacert root.pem; CURL_CA_BUNDLE, SSL_CERT_FILE (Go, OpenSSL), REQUESTS_CA_BUNDLE (Python)',
  'NODE_EXTRA_CA_CERTS (Node), LEGO_CA_CERTIFICATES (lego); keytool -importcert -cacerts -file root.pem (Java)',
  'certloop ca trust --install, as root, for the whole machine; never on one that anybody else relies on',
];
