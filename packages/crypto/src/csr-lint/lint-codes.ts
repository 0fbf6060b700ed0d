import type { CsrProfile, CsrSeverity } from '@certloop/contracts';

/** Repair of a finding: a CSR with a new key, one with the same key, or nothing that a command does. */
export type Remedy = 'new-key' | 'same-key' | 'none';

/** Properties of a finding that do not depend on the CSR. */
export interface LintCode {
  readonly group: LintGroup;
  /** Where it is written. */
  readonly rule: string;
  /** By profile; null where the profile has nothing to say about it. */
  readonly severities: Readonly<Record<CsrProfile, CsrSeverity | null>>;
  readonly remedy: Remedy;
  /** The next step, as a sentence. */
  readonly advice: string;
}

export type LintGroup = 'file' | 'possession' | 'RSA' | 'EC' | 'ledger' | 'names' | 'asks for' | 'future';

type Severities = readonly [
  public_: CsrSeverity | null,
  acme: CsrSeverity | null,
  private_: CsrSeverity | null,
];

const always = (severity: CsrSeverity): Severities => [severity, severity, severity];

function row(
  group: LintGroup,
  rule: string,
  [ofPublic, ofAcme, ofPrivate]: Severities,
  remedy: Remedy,
  advice: string,
): LintCode {
  return { group, rule, severities: { public: ofPublic, acme: ofAcme, private: ofPrivate }, remedy, advice };
}

/** Advice for a finding that the same key repairs, and for one that needs another key. */
export const again = 'Create the CSR again with the same key.';
export const newKey = 'Create a new key and a CSR for it.';
const exposed = 'Treat the key as exposed: create a new one, and revoke its certificates.';
const publicKeyNeeded = 'Create a new key that public CAs accept and a CSR for it.';
const publicNames = 'Use names of the public DNS, or a private CA.';

const file = {
  not_pem: row('file', 'RFC 7468 §2', always('error'), 'new-key', 'Send a CSR in PEM.'),
  several_blocks: row(
    'file',
    'RFC 7468 §2',
    always('error'),
    'none',
    'Send a file with one block, from BEGIN CERTIFICATE REQUEST to END CERTIFICATE REQUEST.',
  ),
  private_key_present: row('file', 'Baseline Requirements §6.1.2', always('error'), 'new-key', exposed),
  trailing_data: row('file', 'X.690 §8.1', always('error'), 'same-key', again),
  not_der: row('file', 'X.690 §10', always('error'), 'same-key', again),
  version_not_0: row('file', 'RFC 2986 §4.1', always('error'), 'same-key', again),
} as const;

const keys = {
  signature_wrong: row('possession', 'RFC 2986 §4.2', always('error'), 'same-key', again),
  weak_signature: row(
    'possession',
    'Baseline Requirements §7.1.3.2',
    ['error', 'error', 'warning'],
    'same-key',
    'Sign the CSR again with SHA-256.',
  ),
  signature_unusual: row(
    'possession',
    'Baseline Requirements §7.1.3.2',
    ['error', 'error', 'info'],
    'same-key',
    'Sign the CSR again with SHA-256.',
  ),
  key_too_small: row('RSA', 'Baseline Requirements §6.1.5', always('error'), 'new-key', newKey),
  key_too_large: row('RSA', 'CertLoop accepts up to 8192 bits', always('error'), 'new-key', newKey),
  key_size_unusual: row(
    'RSA',
    'Baseline Requirements §6.1.5',
    ['error', 'error', 'info'],
    'new-key',
    publicKeyNeeded,
  ),
  small_exponent: row(
    'RSA',
    'Baseline Requirements §6.1.6',
    ['error', 'error', 'warning'],
    'new-key',
    newKey,
  ),
  exponent_unusual: row('RSA', 'Baseline Requirements §6.1.6', always('error'), 'new-key', newKey),
  modulus_even: row('RSA', 'Baseline Requirements §6.1.6', always('error'), 'new-key', newKey),
  small_prime: row('RSA', 'Baseline Requirements §6.1.6', always('error'), 'new-key', exposed),
  close_primes: row('RSA', 'Baseline Requirements §6.1.1.3', always('error'), 'new-key', exposed),
  roca: row('RSA', 'Baseline Requirements §6.1.1.3', always('error'), 'new-key', exposed),
  curve_not_public: row(
    'EC',
    'Baseline Requirements §6.1.5',
    ['error', 'error', 'info'],
    'new-key',
    publicKeyNeeded,
  ),
  point_not_on_curve: row('EC', 'SP 800-56A §5.6.2.3', always('error'), 'new-key', newKey),
  explicit_parameters: row('EC', 'RFC 5480 §2.1.1', always('error'), 'new-key', newKey),
  key_kind_unusual: row(
    'EC',
    'Baseline Requirements §6.1.5',
    ['error', 'error', 'info'],
    'new-key',
    publicKeyNeeded,
  ),
  key_compromised: row('ledger', 'Baseline Requirements §6.1.1.3', always('error'), 'new-key', newKey),
  post_quantum_key: row('future', 'RFC 9881', always('error'), 'new-key', publicKeyNeeded),
} as const;

const publicOnly: Severities = ['error', 'warning', 'info'];

const names = {
  no_subject_alt_name: row('names', 'RFC 9525 §2', ['error', 'warning', 'warning'], 'same-key', again),
  san_empty: row('names', 'RFC 5280 §4.2.1.6', always('error'), 'same-key', again),
  fqdn_not_covered: row('names', 'RFC 9525 §6.3', always('error'), 'same-key', again),
  more_names: row('names', 'RFC 5280 §4.2.1.6', always('info'), 'none', 'Check that you want these names.'),
  invalid_names: row('names', 'RFC 1123 §2.1', ['error', 'error', 'warning'], 'same-key', again),
  wildcard_misplaced: row('names', 'RFC 9525 §6.3', always('error'), 'same-key', again),
  not_an_a_label: row('names', 'RFC 5890 §2.3.2.1', always('error'), 'same-key', again),
  san_underscore: row('names', 'Baseline Requirements §7.1.2.7.12', publicOnly, 'same-key', again),
  san_reserved: row('names', 'Baseline Requirements §4.2.2', publicOnly, 'same-key', publicNames),
  san_single_label: row('names', 'Baseline Requirements §4.2.2', publicOnly, 'same-key', publicNames),
  san_private_address: row('names', 'Baseline Requirements §4.2.2', publicOnly, 'same-key', publicNames),
  san_repeated: row('names', 'RFC 5280 §4.2.1.6', always('info'), 'none', 'Name each host once.'),
  san_upper_case: row('names', 'RFC 4343 §3', always('info'), 'none', 'Write host names in lower case.'),
  san_other_kind: row('names', 'RFC 8555 §7.1.4', ['error', 'error', null], 'same-key', again),
  too_many_names: row(
    'names',
    'RFC 8555 §7.4',
    ['warning', 'error', 'info'],
    'none',
    'Create several CSRs with fewer names, each for an FQDN of its own.',
  ),
  common_name_not_in_sans: row(
    'names',
    'Baseline Requirements §7.1.4.3',
    ['error', 'error', 'warning'],
    'same-key',
    again,
  ),
  common_name_too_long: row('names', 'RFC 5280 Appendix A.1', ['error', 'error', 'info'], 'same-key', again),
  common_name_is_address: row(
    'names',
    'Baseline Requirements §7.1.4.3',
    ['info', 'error', 'info'],
    'same-key',
    again,
  ),
} as const;

const requests = {
  ca_requested: row('asks for', 'RFC 5280 §4.2.1.9', always('error'), 'same-key', again),
  extension_repeated: row('asks for', 'RFC 5280 §4.2', always('error'), 'same-key', again),
  client_auth_requested: row(
    'asks for',
    'Chrome Root Program Policy §3.2',
    ['warning', 'warning', null],
    'same-key',
    'Create the CSR again without it, and get client certificates from a private CA.',
  ),
  must_staple: row('asks for', 'RFC 7633', ['warning', 'warning', null], 'same-key', again),
  unusual_extensions: row('asks for', 'RFC 5280 §4.2', always('info'), 'none', 'CAs ignore them.'),
  challenge_password: row(
    'asks for',
    'RFC 2985 §5.4.1',
    always('warning'),
    'same-key',
    'Create the CSR again without it, and do not use that password any more.',
  ),
  subject_dropped: row(
    'asks for',
    'Baseline Requirements §7.1.2.7.2',
    ['info', 'info', null],
    'none',
    'The host names decide.',
  ),
} as const;

/** Every code of a finding about a CSR, in the order in which findings are shown. */
export const csrLintCodes = { ...file, ...keys, ...names, ...requests } as const;

export type CsrLintCode = keyof typeof csrLintCodes;
