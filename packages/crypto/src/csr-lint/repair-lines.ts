import { shellQuoted } from './shell-quoted.js';

/** A CSR that replaces another one: for which names, and with which key. */
export interface Replacement {
  /** Host names in normal form. */
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly isNewKey: boolean;
  /** File of the key that is there; without it, a name is made of the first host name. */
  readonly keyFile: string | undefined;
  /** Hash to name where the default of the machine is in doubt. */
  readonly hash: 'sha256' | undefined;
}

// RFC 5280 Appendix A.1
const maxCommonName = 64;

/** A command line of OpenSSL 1.1.1 or later that makes the CSR; a new key has a file of its own, so that none is overwritten. */
export function opensslLine(replacement: Replacement): string {
  const { isNewKey, keyFile, hash } = replacement;
  const base = fileBaseOf(replacement);
  const key = isNewKey
    ? [
        ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
        ...['-keyout', shellQuoted(`${base}.new.key`)],
      ]
    : ['-key', shellQuoted(keyFile ?? `${base}.key`)];
  const commonName = commonNameOf(replacement);
  return [
    ...['openssl', 'req', '-new', ...key],
    ...(hash === undefined || isNewKey ? [] : [`-${hash}`]),
    ...['-out', shellQuoted(`${base}${isNewKey ? '.new' : ''}.csr`)],
    ...['-subj', shellQuoted(commonName === undefined ? '/' : `/CN=${commonName}`)],
    ...['-addext', shellQuoted(`subjectAltName=${nameList(replacement)}`)],
  ].join(' ');
}

/** An INF file for certreq, which makes a new key on P-256 in the store of the machine. */
export function certreqFile(replacement: Replacement): string {
  const base = fileBaseOf(replacement);
  const commonName = commonNameOf(replacement);
  const names = [
    ...replacement.dnsNames.map((name) => `dns=${name}`),
    ...replacement.ipAddresses.map((address) => `ipaddress=${address}`),
  ];
  return [
    `; certreq -new ${base}.inf ${base}.csr`,
    '[Version]',
    'Signature="$Windows NT$"',
    '[NewRequest]',
    `Subject="${commonName === undefined ? '' : `CN=${commonName}`}"`,
    'KeyAlgorithm=ECDSA_P256',
    'KeyLength=256',
    'HashAlgorithm=sha256',
    'ProviderName="Microsoft Software Key Storage Provider"',
    'MachineKeySet=true',
    'RequestType=PKCS10',
    'KeyUsage=0x80',
    '[Extensions]',
    '2.5.29.17="{text}"',
    ...names.map((name, index) => `_continue_="${name}${index === names.length - 1 ? '' : '&'}"`),
    '',
  ].join('\r\n');
}

/** Common name of the new CSR: its first host name that fits. */
function commonNameOf({ dnsNames }: Replacement): string | undefined {
  return dnsNames.find(({ length }) => length <= maxCommonName);
}

function nameList({ dnsNames, ipAddresses }: Replacement): string {
  return [...dnsNames.map((name) => `DNS:${name}`), ...ipAddresses.map((address) => `IP:${address}`)].join(
    ',',
  );
}

// file systems allow 255 octets in a name
const maxFileBase = 200;

function fileBaseOf({ dnsNames: [host], ipAddresses: [address] }: Replacement): string {
  const name = host?.replace('*', 'wildcard') ?? address?.replaceAll(':', '-') ?? 'request';
  return name.slice(0, maxFileBase);
}
