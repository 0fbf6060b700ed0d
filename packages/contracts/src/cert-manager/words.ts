// The closed lists of words that pages show too, in a file without schemas: a browser loads it without zod.

/** Levels of a permission group, each holding the ones before it. */
export const permissionLevels = ['READ', 'READ_WRITE', 'FULL_ACCESS'] as const;

export type PermissionLevel = (typeof permissionLevels)[number];

/** Scopes of an API token; ADMIN reaches what only administrators may use. */
export const tokenScopes = [...permissionLevels, 'ADMIN'] as const;

export type TokenScope = (typeof tokenScopes)[number];

/** States of an ACME client: `failing` after an order that failed. */
export const acmeClientStates = ['unused', 'active', 'failing', 'expired'] as const;

export type AcmeClientState = (typeof acmeClientStates)[number];

/** States of an order of an ACME client (RFC 8555 §7.1.6); `pending` does not occur. */
export const acmeOrderStates = ['ready', 'processing', 'valid', 'invalid'] as const;

/** Tools from whose files certificates are imported; `pem` is a file of no known tool. */
export const importSources = ['certbot', 'lego', 'acme.sh', 'caddy', 'traefik', 'dehydrated', 'pem'] as const;

export type ImportSource = (typeof importSources)[number];

/** Where a certificate that no provider issued was found; `served` by a server that is watched. */
export const certificateSources = ['served', ...importSources] as const;

export type CertificateSource = (typeof certificateSources)[number];

/** Steps of a certificate request in the order of their execution. */
export const requestSteps = [
  'csrCheck',
  'policy',
  'existing',
  'preflight',
  'account',
  'order',
  'challenges',
  'finalize',
  'download',
  'verify',
  'store',
  'schedule',
] as const;

export type RequestStep = (typeof requestSteps)[number];

export const stepStatuses = [
  'pending',
  'running',
  'ok',
  'warning',
  'skipped',
  'failed',
  'needs_confirmation',
  'waiting_manual',
] as const;

export type StepStatus = (typeof stepStatuses)[number];

export const issuanceJobStatuses = ['running', 'waiting', 'completed', 'failed'] as const;

/** States of a renewal entry; the last two are final. */
export const renewalStatuses = ['pending', 'processing', 'completed', 'failed'] as const;

export type RenewalStatus = (typeof renewalStatuses)[number];

/** Whether an FQDN will be renewed, and what it waits for or what is in the way. */
export const renewalOutlooks = [
  /** It has its moment. */
  'scheduled',
  /** Its moment has come; it is next, or the configuration of its provider is not complete. */
  'due',
  'running',
  /** A try failed, and the next one has its moment. */
  'retrying',
  /** Switched on, and about to get its moment. */
  'unscheduled',
  /** The issuance policy of the space does not allow it; it goes on when that does. */
  'forbidden',
  /** Its provider is disabled; it goes on when that is enabled. */
  'provider_off',
  'switched_off',
  'no_certificate',
  'no_csr',
  'no_provider',
  /** The newest certificate was revoked for its key, and the newest CSR has the same key. */
  'compromised_key',
  /** An ACME client ordered the newest certificate; only that client fetches the next one. */
  'renewed_by_client',
] as const;

export type RenewalOutlook = (typeof renewalOutlooks)[number];

/** States of an FQDN: the first whose rule holds, in this order. */
export const fqdnStates = [
  /** It has no certificate yet. */
  'unfinished',
  'expired',
  /** The last try failed, or the certificate is revoked, not served, or its renewal forbidden. */
  'failing',
  /** Its renewal is late, or nothing renews it and the end is near. */
  'due',
  'valid',
] as const;

export type FqdnState = (typeof fqdnStates)[number];

/**
 * Who renews the certificate of an FQDN: this service, the ACME client that ordered the newest one or that it was imported
 * from, what a watched server adopts from elsewhere, or nothing that is known here.
 */
export const renewalOwners = ['certloop', 'acme_client', 'elsewhere', 'none'] as const;

export type RenewalOwner = (typeof renewalOwners)[number];

/**
 * States of what an account of an ACME client renews: a further certificate is expected, and not due; it is late; its last
 * order failed; or none is expected, as its machine is gone, another order replaced it, or account or client ended.
 */
export const lineageStates = [
  'expected',
  'late',
  'failing',
  'released',
  'replaced',
  'deactivated',
  'deleted',
] as const;

export type LineageState = (typeof lineageStates)[number];

/** Whether the issuer of a certificate was sent with it. */
export const chainStates = ['complete', 'incomplete', 'self_signed'] as const;

export type ChainState = (typeof chainStates)[number];

/** Verdicts on a name that is added to a space: `twin` repeats a name before it in the same list. */
export const nameVerdicts = ['new', 'exists', 'twin', 'refused'] as const;

export type NameVerdict = (typeof nameVerdicts)[number];

/** Changes of many FQDNs at once. */
export const fqdnActions = [
  'renewal-on',
  'renewal-off',
  'set-provider',
  'set-owner',
  'add-tags',
  'remove-tags',
] as const;

export type FqdnAction = (typeof fqdnActions)[number];

/** Activities of an FQDN at a moment; `waiting` for someone to publish a proof. */
export const fqdnActivities = ['requesting', 'renewing', 'waiting'] as const;

export type FqdnActivity = (typeof fqdnActivities)[number];

/** By what lists of FQDNs are sorted; `attention` is by need, and what will never need anyone comes last. */
export const fqdnSorts = ['createdAt', 'attention', 'expiresAt', 'renewAt', 'fqdn'] as const;

export type FqdnSort = (typeof fqdnSorts)[number];

/** How long a bucket of a timeline is; a week begins on Monday, both at midnight UTC. */
export const timelineBuckets = ['day', 'week'] as const;

export type TimelineBucket = (typeof timelineBuckets)[number];

/** By what lists of spaces are sorted. */
export const spaceSorts = ['createdAt', 'name', 'attention'] as const;

export type SpaceSort = (typeof spaceSorts)[number];

/** Whether an issuance policy, its own or the default one, limits a space. */
export const policyPresences = ['set', 'absent'] as const;

export type PolicyPresence = (typeof policyPresences)[number];

/**
 * Parts of a certificate that a file may hold: `chain` is the intermediates alone, `fullchain` the leaf and them, `json`
 * all three with their facts.
 */
export const certificateFormats = ['leaf', 'chain', 'fullchain', 'der', 'p7b', 'json'] as const;

export type CertificateFormat = (typeof certificateFormats)[number];

/** Who sets a rule for public certificates, or whose certificates follow it. */
export const ruleSubjects = [
  'public_cas',
  'chrome',
  'lets_encrypt',
  'google',
  'sectigo',
  'digicert',
] as const;

/** How sure the date of a rule is: past, adopted by those who set it, or announced by the CA. */
export const ruleCertainties = ['in_force', 'decided', 'announced'] as const;

/** Ways in which a name breaks a rule for public certificates. */
export const breakCodes = [
  /** Its certificate lasts longer than the next one may. */
  'lifetime_too_long',
  /** It is renewed longer before the end than the next certificate will last. */
  'lead_time_too_long',
  /** Its share of the lifetime leaves less than three days for tries. */
  'lead_time_too_short',
  'client_auth',
  /** Public CAs do not certify such names. */
  'name_not_certified',
  /** Its CA has not said when it wants certificates renewed (RFC 9773). */
  'no_renewal_information',
  /** Its provider names no profile, so the lifetime changes on the day of the CA. */
  'no_profile',
] as const;

export type BreakCode = (typeof breakCodes)[number];

/** Reasons why a person must act at each renewal of a name, the first that applies. */
export const handworkCodes = ['no_csr', 'no_provider', 'manual_proof', 'renewal_off'] as const;

export type HandworkCode = (typeof handworkCodes)[number];

/** How a server comes to TLS: at once, or by STARTTLS in a protocol. */
export const targetProtocols = [
  'tls',
  'smtp',
  'imap',
  'pop3',
  'ldap',
  'postgres',
  'mysql',
  'xmpp',
  'ftp',
] as const;
