import type { AuditAction } from '@certloop/contracts/browser';

/** Facts of an entry of the audit log: its details, and the state after the change. */
export interface AuditFacts {
  readonly details: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Verb of a success, verb of a failed try, and object; `{on}` is the subject of the entry. */
type Form = readonly [did: string, tried: string, what: string];

const named = (facts: AuditFacts, key: string) => String(facts.details[key] ?? '');

/** Form of an action that switches something on or off. */
const switches =
  (key: string, what: string) =>
  ({ after }: AuditFacts): Form =>
    after[key] === false ? ['switched off', 'switch off', what] : ['switched on', 'switch on', what];

/** Form of every action that the audit log has. */
const forms: Readonly<Record<AuditAction, Form | ((facts: AuditFacts) => Form)>> = {
  'access.denied': ['called', 'call', '{on}'],
  'acme_client.bind': ['registered', 'register', 'an account of the ACME client {on}'],
  'acme_client.change': ['edited', 'edit', 'the ACME client {on}'],
  'acme_client.create': ['created', 'create', 'the ACME client {on}'],
  'acme_client.delete': ['deleted', 'delete', 'the ACME client {on}'],
  'acme_client.rekey': ['replaced', 'replace', 'the key of the ACME client {on}'],
  'acme_client.release': ['released', 'release', 'a machine of the ACME client {on}'],
  'audit.export': ['exported', 'export', 'the audit log'],
  'audit.test': ['wrote', 'write', 'a test entry'],
  'auth.bootstrap': ['created', 'create', 'the first administrator {on}'],
  'auth.fail': (facts) => ['signed in', 'sign in', `with a ${named(facts, 'subject')}`],
  'auth.login': ['signed in', 'sign in', ''],
  'auth.logout': ['signed out', 'sign out', ''],
  'auth.token.create': ['created', 'create', 'the API token {on}'],
  'auth.token.renew': ['renewed', 'renew', 'the API token {on}'],
  'auth.token.revoke': ['revoked', 'revoke', 'the API token {on}'],
  'certificate.adopted': ({ details }) => [
    'adopted',
    'adopt',
    details['unverified'] === true
      ? 'what a server of {on} presents, whose chain does not verify'
      : 'what a server of {on} presents',
  ],
  'certificate.download': ['downloaded', 'download', 'the certificate of {on}'],
  'certificate.fail': ['got', 'get', 'a certificate for {on}'],
  'certificate.import': ({ details }) => [
    'imported',
    'import',
    details['unverified'] === true
      ? 'a certificate of {on}, whose signature could not be verified without its issuer'
      : 'a certificate of {on}',
  ],
  'certificate.issue': ['got', 'get', 'a certificate for {on}'],
  'certificate.refresh': ['refreshed', 'refresh', 'the certificate of {on}'],
  'certificate.renew': ['renewed', 'renew', 'the certificate of {on}'],
  'certificate.replace': ['replaced', 'replace', 'the certificate of {on}'],
  'certificate.request': ['requested', 'request', 'a certificate for {on}'],
  'certificate.request.cancel': ['cancelled', 'cancel', 'the request of a certificate for {on}'],
  'certificate.request.needs_confirmation': [
    'was asked',
    'be asked',
    'whether to replace the valid certificate of {on}',
  ],
  'certificate.revoke': ['revoked', 'revoke', 'the certificate of {on}'],
  'csr.deleteAll': ['deleted', 'delete', 'all CSRs'],
  'csr.reject': ['uploaded', 'upload', 'a CSR for {on}'],
  'csr.sign': ['had', 'have', 'the CSR of {on} signed'],
  'csr.upload': ['uploaded', 'upload', 'a CSR for {on}'],
  'fqdn.create': ['added', 'add', 'the name {on}'],
  'fqdn.delete': ['deleted', 'delete', 'the name {on}'],
  'fqdn.deleteAll': (facts) => ['deleted', 'delete', `all ${named(facts, 'deletedCount')} names`],
  'fqdn.expiry': ({ after }) =>
    after['accepted'] === true
      ? ['accepted', 'accept', 'that the certificate of {on} expires']
      : ['no longer accepts', 'stop accepting', 'that the certificate of {on} expires'],
  'fqdn.renewal': switches('renewalEnabled', 'the renewal of {on}'),
  'fqdn.update': ['edited', 'edit', 'the name {on}'],
  'group.create': ['created', 'create', 'the group {on}'],
  'group.delete': ['deleted', 'delete', 'the group {on}'],
  'group.member.add': ['added', 'add', 'a member to {on}'],
  'group.member.remove': ['removed', 'remove', 'a member from {on}'],
  'group.member.set': ['changed', 'change', 'the members of {on}'],
  'group.update': ['edited', 'edit', 'the group {on}'],
  'provider.config': ['configured', 'configure', 'the provider {on}'],
  'provider.create': ['created', 'create', 'the provider {on}'],
  'provider.delete': ['deleted', 'delete', 'the provider {on}'],
  'provider.disable': ['disabled', 'disable', 'the provider {on}'],
  'provider.enable': switches('enabled', 'the provider {on}'),
  'provider.test': ['tested', 'reach', 'the provider {on}'],
  'queue.create': ['queued', 'queue', 'a test renewal of {on}'],
  'queue.fail': ['renewed', 'renew', 'the certificate of {on}'],
  'queue.remove': (facts) =>
    facts.details['count'] === undefined
      ? ['removed', 'remove', 'the planned renewal of {on}']
      : ['removed', 'remove', `all ${named(facts, 'count')} planned renewals`],
  'queue.retry': ['retried', 'retry', 'the renewal of {on}'],
  'queue.run': ['started', 'start', 'the renewal of {on}'],
  'queue.trigger': ['started', 'start', 'all renewals that are due'],
  'space.create': ['created', 'create', 'the space {on}'],
  'space.delete': ['deleted', 'delete', 'the space {on}'],
  'space.policy': ['changed', 'change', 'the issuance policy of {on}'],
  'space.update': ['edited', 'edit', 'the space {on}'],
  'space.watch': switches('watchEnabled', 'the watch of {on}'),
  'target.create': (facts) => ['added', 'add', `the server ${named(facts, 'place')} of {on}`],
  'target.delete': (facts) => ['removed', 'remove', `the server ${named(facts, 'place')} of {on}`],
  'target.probe': (facts) => ['checked', 'check', `the server ${named(facts, 'place')} of {on}`],
  'target.report': (facts) => [
    'reported',
    'report',
    `what the server ${named(facts, 'place')} of {on} serves`,
  ],
  'target.update': (facts) => ['edited', 'edit', `the server ${named(facts, 'place')} of {on}`],
  'user.avatar': ['changed', 'change', 'the picture of {on}'],
  'user.avatar.delete': ['removed', 'remove', 'the picture of {on}'],
  'user.create': ['created', 'create', 'the user {on}'],
  'user.delete': ['deleted', 'delete', 'the user {on}'],
  'user.password': ['changed', 'change', 'the password of {on}'],
  'user.update': ['edited', 'edit', 'the user {on}'],
};

/** Form of an action; undefined for one that this version of the console does not know. */
export function formOf(action: string, facts: AuditFacts): Form | undefined {
  // own properties only: an action such as `toString` would find what every object inherits
  if (!Object.hasOwn(forms, action)) return undefined;
  const form = forms[action as AuditAction];
  return typeof form === 'function' ? form(facts) : form;
}
