// Servers with an ACME client of their own.
import { quotedWord, shellWord, writeCronJob, writeSecretFile, yamlText } from './quoting.js';
import { bareName, emailOf, type SetupFacts } from './setup-facts.js';
import { type ClientSetup, type SetupStep, shellStep } from './setup-step.js';

/** Caddy 2. */
export function caddySetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, email, rootFile, names } = facts;
  const text = [
    '{',
    `\tacme_ca ${quotedWord(directoryUrl)}`,
    '\tacme_eab {',
    `\t\tkey_id ${quotedWord(kid)}`,
    `\t\tmac_key ${quotedWord(hmacKey)}`,
    '\t}',
    ...(rootFile === undefined ? [] : [`\tacme_ca_root ${quotedWord(rootFile)}`]),
    ...(email === undefined ? [] : [`\temail ${quotedWord(email)}`]),
    '}',
    '',
    `${names.map(quotedWord).join(', ')} {`,
    '\trespond "It works"',
    '}',
  ].join('\n');
  return {
    steps: [{ title: 'Put this into the Caddyfile, and reload Caddy', language: 'caddyfile', text }],
    notes: ['Replace the line with respond by what your site serves.'],
  };
}

/** Traefik 3; Traefik 2 has no `caCertificates`. */
export function traefikSetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, rootFile } = facts;
  const text = [
    'certificatesResolvers:',
    '  certloop:',
    '    acme:',
    `      caServer: ${yamlText(directoryUrl)}`,
    ...(rootFile === undefined ? [] : ['      caCertificates:', `        - ${yamlText(rootFile)}`]),
    `      email: ${yamlText(emailOf(facts))}`,
    '      storage: "acme.json"',
    '      eab:',
    `        kid: ${yamlText(kid)}`,
    `        hmacEncoded: ${yamlText(hmacKey)}`,
    '      tlsChallenge: {}',
  ].join('\n');
  return {
    steps: [{ title: 'Put this into the static configuration, and restart Traefik', language: 'yaml', text }],
    notes: [
      'Name the resolver certloop in tls.certResolver of each router.',
      ...(rootFile === undefined
        ? []
        : [
            `For Traefik 2, omit caCertificates and set the environment variable LEGO_CA_CERTIFICATES to that file.`,
          ]),
    ],
  };
}

/** HAProxy 3.4, which binds its account; earlier ones get a registered account. */
export function haproxySetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, email, rootFile, names } = facts;
  const [first = ''] = names;
  const alias = bareName(first);
  const folder = '/etc/haproxy/certloop';
  const file = shellWord(`${folder}/${alias}.pem`);
  const text = [
    'global',
    '    expose-experimental-directives',
    ...(rootFile === undefined ? [] : [`    httpclient.ssl.ca-file ${shellWord(rootFile)}`]),
    '',
    'acme certloop',
    `    directory ${shellWord(directoryUrl)}`,
    `    account-key ${folder}/account.key`,
    `    eab-key-id ${folder}/eab-kid`,
    `    eab-mac-key ${folder}/eab-key`,
    `    contact ${shellWord(emailOf(facts))}`,
    '    keytype ECDSA',
    '    curves P-256',
    '',
    'crt-store certloop',
    `    load crt ${file} alias ${shellWord(alias)} acme certloop domains ${shellWord(names.join(','))}`,
    '',
    'frontend https',
    `    bind :443 ssl crt ${shellWord(`@certloop/${alias}`)}`,
  ].join('\n');
  const register = [
    'certloop acme-clients register',
    `--directory ${shellWord(directoryUrl)} --kid ${shellWord(kid)}`,
    `--hmac-key-file ${folder}/eab-key --key-file ${folder}/account.key`,
    ...(email === undefined ? [] : [`--email ${shellWord(email)}`]),
    ...(rootFile === undefined ? [] : [`--ca ${shellWord(rootFile)}`]),
  ].join(' \\\n  ');
  return {
    steps: [
      shellStep(
        'Store the key',
        [
          `mkdir -p ${folder}`,
          writeSecretFile(`${folder}/eab-kid`, kid),
          writeSecretFile(`${folder}/eab-key`, hmacKey),
        ].join('\n'),
      ),
      { title: 'Add this to haproxy.cfg, and restart HAProxy 3.4 or later', language: 'haproxy', text },
      shellStep(
        'For HAProxy 3.2 and 3.3, register the account first, and omit the two lines that begin with eab-',
        register,
      ),
      expiredCertificateStep(file, alias),
    ],
    notes: [
      'HAProxy keeps the new certificate in memory. Its script haproxy-dump-certs stores it on disk.',
      'HAProxy asks DNS for the address of the directory; it does not read /etc/hosts.',
    ],
  };
}

/** Stores a new key and a certificate that expires at once in a file, whose path is a word of the shell. */
function expiredCertificateStep(file: string, name: string): SetupStep {
  return shellStep(
    'For HAProxy 3.2, store a certificate first: it does not start without one, and replaces one that has expired',
    [
      `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ${file}`,
      `openssl req -new -key ${file} -subj ${shellWord(`/CN=${name}`)} |`,
      `  openssl x509 -req -days 0 -signkey ${file} >> ${file}`,
    ].join('\n'),
  );
}

/** mod_md of Apache 2.4.52 and later. */
export function modMdSetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, rootFile, names } = facts;
  const file = '/etc/apache2/certloop-eab.json';
  const [first = '', ...others] = names.map(quotedWord);
  const text = [
    `MDCertificateAuthority ${quotedWord(directoryUrl)}`,
    ...(rootFile === undefined ? [] : [`MDCACertificateFile ${quotedWord(rootFile)}`]),
    'MDCertificateAgreement accepted',
    `MDContactEmail ${quotedWord(emailOf(facts))}`,
    `MDExternalAccountBinding ${file}`,
    'MDPrivateKeys secp256r1',
    `MDomain ${[first, ...others].join(' ')}`,
    '',
    '<VirtualHost *:443>',
    `    ServerName ${first}`,
    ...(others.length === 0 ? [] : [`    ServerAlias ${others.join(' ')}`]),
    '    SSLEngine on',
    '</VirtualHost>',
  ].join('\n');
  return {
    steps: [
      shellStep('Store the key', writeSecretFile(file, JSON.stringify({ kid, hmac: hmacKey }))),
      { title: 'Add this to the configuration of Apache', language: 'apache', text },
      shellStep('Switch the modules on', 'a2enmod md ssl\napachectl graceful'),
      shellStep(
        'Let Apache use new certificates by cron',
        writeCronJob('/etc/cron.d/certloop-apache', 37, 'apachectl graceful'),
      ),
    ],
    notes: ['Apache uses a new certificate after its next graceful restart.'],
  };
}
