import type { Provider } from '@certloop/contracts/browser';
import type { NestedField, Typed } from '@certloop/web-kit';

/** A setting of a provider as a form shows it. */
export interface ProviderField extends NestedField {
  readonly label: string;
  readonly description?: string;
  readonly isRequired?: boolean;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

const usesDns = (typed: Typed) => typed['challenge.type'] === 'dns-01';
const usesBackend = (kind: string) => (typed: Typed) =>
  usesDns(typed) && typed['challenge.dns.kind'] === kind;

const privateNetwork: ProviderField = {
  path: 'allowPrivateNetwork',
  label: 'Its address is in a private network of yours',
  type: 'flag',
};

/** The kinds as people choose them, in the order of the list. */
export const providerKindLabels: Readonly<Record<Provider['kind'], string>> = {
  acme: 'A CA with ACME, such as Let’s Encrypt',
  'dummy-ca': 'A dummy CA, for tests',
};

/** The settings that people change; the others stay as they are. */
export const providerFields: Readonly<Record<Provider['kind'], readonly ProviderField[]>> = {
  'dummy-ca': [
    { path: 'baseUrl', label: 'Address', description: 'For example http://127.0.0.1:3002', isRequired: true },
    { path: 'validityDays', label: 'Days until a certificate expires', type: 'number' },
    privateNetwork,
  ],
  acme: [
    {
      path: 'directoryUrl',
      label: 'Address of the directory',
      description: 'For example https://acme-v02.api.letsencrypt.org/directory',
      isRequired: true,
    },
    {
      path: 'contactEmails',
      label: 'E-mail addresses for the CA',
      description: 'Separated by commas.',
      type: 'list',
    },
    { path: 'eab.kid', label: 'Key id of the external account', description: 'Only if the CA gave you one.' },
    {
      path: 'eab.hmacKey',
      label: 'Key of the external account',
      type: 'secret',
      isUsed: (typed) => (typed['eab.kid'] ?? '').trim() !== '',
    },
    { path: 'profile', label: 'Profile', description: 'Only if the CA offers several.' },
    {
      path: 'challenge.type',
      label: 'How the CA sees that a name is yours',
      type: 'choice',
      choices: [
        { value: 'http-01', label: 'http-01: it reads a file over HTTP' },
        { value: 'dns-01', label: 'dns-01: it reads a DNS record that CertLoop adds' },
        { value: 'manual', label: 'manual: it reads a DNS record that you add' },
      ],
    },
    {
      path: 'challenge.http01.selfCheck',
      label: 'If the file cannot be read from here',
      type: 'choice',
      isUsed: (typed) => typed['challenge.type'] === 'http-01',
      choices: [
        { value: 'warn', label: 'warn, and go on' },
        { value: 'strict', label: 'end the request' },
        { value: 'off', label: 'do not try' },
      ],
    },
    {
      path: 'challenge.dns.kind',
      label: 'Who adds the DNS record',
      type: 'choice',
      isUsed: usesDns,
      choices: [
        { value: 'webhook', label: 'a webhook of yours' },
        { value: 'rfc2136', label: 'a name server that takes signed updates (RFC 2136)' },
        { value: 'acme-dns', label: 'an acme-dns server' },
      ],
    },
    {
      path: 'challenge.dns.url',
      label: 'Address of the webhook or the name server',
      description: 'For example https://dns.example.com/hook or dns://192.0.2.1:53',
      isRequired: true,
      isUsed: usesDns,
    },
    {
      path: 'challenge.dns.mode',
      label: 'What the webhook gets',
      type: 'choice',
      isUsed: usesBackend('webhook'),
      choices: [
        { value: 'fqdn-value', label: 'the name of the record and its value' },
        { value: 'raw', label: 'name, token and key authorization' },
      ],
    },
    {
      path: 'challenge.dns.authHeader',
      label: 'Authorization header of the webhook',
      type: 'secret',
      isUsed: usesBackend('webhook'),
    },
    { path: 'challenge.dns.tsig.name', label: 'Name of the TSIG key', isUsed: usesBackend('rfc2136') },
    {
      path: 'challenge.dns.tsig.secret',
      label: 'TSIG key in Base64',
      type: 'secret',
      isUsed: usesBackend('rfc2136'),
    },
    {
      path: 'challenge.dns.zone',
      label: 'Zone',
      description: 'Empty: the zone that each record lies in.',
      isUsed: usesBackend('rfc2136'),
    },
    {
      path: 'challenge.dns.acmeDns.username',
      label: 'User name at acme-dns',
      isUsed: usesBackend('acme-dns'),
    },
    {
      path: 'challenge.dns.acmeDns.password',
      label: 'Password at acme-dns',
      type: 'secret',
      isUsed: usesBackend('acme-dns'),
    },
    {
      path: 'challenge.dns.acmeDns.subdomain',
      label: 'Subdomain at acme-dns',
      isUsed: usesBackend('acme-dns'),
    },
    {
      path: 'challenge.dns.alias',
      label: 'Name that carries the records',
      description: 'Only if the record of each name is a CNAME of it.',
      isUsed: usesDns,
    },
    privateNetwork,
    {
      path: 'termsOfServiceAgreed',
      label: 'I agree to the terms of service of the CA',
      type: 'flag',
      isRequired: true,
    },
  ],
};

/** Returns what a form shows at first: the first choice where nothing is set. */
export function withFirstChoices(fields: readonly ProviderField[], typed: Typed): Typed {
  const missing = fields.flatMap(({ path, choices }) =>
    choices !== undefined && (typed[path] ?? '') === '' ? [[path, choices[0]?.value ?? ''] as const] : [],
  );
  return { ...typed, ...Object.fromEntries(missing) };
}
