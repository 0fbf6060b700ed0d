export const keyKinds = ['P-256', 'P-384', 'RSA 2048', 'RSA 4096'] as const;
export type KeyKind = (typeof keyKinds)[number];
export type ShellKind = 'POSIX' | 'PowerShell';

const keyOptions: Readonly<Record<KeyKind, string>> = {
  'P-256': '-newkey ec -pkeyopt ec_paramgen_curve:P-256',
  'P-384': '-newkey ec -pkeyopt ec_paramgen_curve:P-384',
  'RSA 2048': '-newkey rsa:2048',
  'RSA 4096': '-newkey rsa:4096',
};

// what a common name may have at most (RFC 5280, ub-common-name)
const maxCommonNameLength = 64;

// of the 255 that file systems take, with an ending of 4
const maxFileLength = 251;

/**
 * The command that makes a key and a CSR for a host name or an address, both in files named after it. A name that is
 * too long for a common name is in the subject alternative name alone. In a POSIX shell the key is readable by its
 * owner only; PowerShell has no such mask, there the rights of the folder count.
 */
export function opensslCommand(name: string, key: KeyKind, shell: ShellKind): string {
  const safe = name.replace(/^\*/, '_').replace(/[^A-Za-z0-9._-]/g, '_');
  const file = safe.slice(0, maxFileLength);
  const subject = name.length <= maxCommonNameLength ? `/CN=${name}` : '/';
  const kind = /^[\d.]+$|:/.test(name) ? 'IP' : 'DNS';
  const parts = [
    `openssl req -new ${keyOptions[key]} -nodes`,
    `-keyout "${file}.key" -out "${file}.csr"`,
    `-subj "${subject}" -addext "subjectAltName=${kind}:${name}"`,
  ].join(' ');
  return shell === 'POSIX' ? `(umask 077; ${parts})` : parts;
}
