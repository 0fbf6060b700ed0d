// Clients that are run as commands, and renewed by a timer of their own or by cron.
import { shellLine, shellLines, shellWord, writeCronJob, writeSecretFile } from './quoting.js';
import { bareName, emailOf, type SetupFacts } from './setup-facts.js';
import { type ClientSetup, shellStep } from './setup-step.js';

/** Options that name each name of the certificate. */
const domainsOf = ({ names }: SetupFacts) => names.flatMap((name) => ['-d', shellWord(name)]);

/** A setting of the environment for the file that the client trusts, if one is needed. */
function trustBy(variable: string, { rootFile }: SetupFacts): readonly string[] {
  return rootFile === undefined ? [] : [`${variable}=${shellWord(rootFile)}`];
}

/** certbot 2.1 and later. Without challenges, `--standalone` opens no port. */
export function certbotSetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, email, rootFile, reload } = facts;
  const order = shellLines(
    [...trustBy('REQUESTS_CA_BUNDLE', facts), 'certbot certonly --non-interactive --standalone'],
    [
      '--agree-tos',
      ...(email === undefined ? ['--register-unsafely-without-email'] : ['-m', shellWord(email)]),
    ],
    ['--server', shellWord(directoryUrl)],
    [`--eab-kid=${shellWord(kid)}`, `--eab-hmac-key=${shellWord(hmacKey)}`],
    domainsOf(facts),
    ['--deploy-hook', shellWord(reload)],
  );
  const folder = '/etc/systemd/system/certbot.service.d';
  const trust =
    rootFile === undefined
      ? []
      : [
          shellStep(
            'Let the timer of certbot trust the server too',
            [
              `mkdir -p ${folder}`,
              `printf '%s\\n' '[Service]' ${shellWord(`Environment="REQUESTS_CA_BUNDLE=${rootFile}"`)} > ${folder}/certloop.conf`,
              'systemctl daemon-reload',
            ].join('\n'),
          ),
        ];
  return {
    steps: [shellStep('Order the certificate', order), ...trust],
    notes: [
      `The certificate is in /etc/letsencrypt/live/${(facts.names[0] ?? '').replace(/^\*\./, '')}. The timer of the package renews it.`,
    ],
  };
}

/** lego 4, which asks for the key of the binding at every command. */
export function legoSetup(facts: SetupFacts): ClientSetup {
  const { kid, hmacKey, reload } = facts;
  const eab = ['--eab', `--kid=${shellWord(kid)}`, `--hmac=${shellWord(hmacKey)}`];
  const lego = (command: string, hook: string) =>
    [
      [...trustBy('LEGO_CA_CERTIFICATES', facts), 'lego'],
      legoAccount(facts),
      eab,
      legoOrder(facts),
      [command, hook, shellWord(reload)],
    ] as const;
  return {
    steps: [
      shellStep('Order the certificate', shellLines(...lego('run', '--run-hook'))),
      shellStep(
        'Renew it by cron',
        writeCronJob('/etc/cron.d/certloop-lego', 17, shellLine(...lego('renew', '--renew-hook'))),
      ),
    ],
    notes: ['The certificate is in /var/lib/lego/certificates.', legoHttps],
  };
}

/** lego 5, one command of which orders and renews. */
export function lego5Setup(facts: SetupFacts): ClientSetup {
  const { kid, hmacKey, reload } = facts;
  const run = [
    [...trustBy('LEGO_CA_CERTIFICATES', facts), 'lego run'],
    legoAccount(facts),
    ['--eab', `--eab.kid=${shellWord(kid)}`, `--eab.hmac=${shellWord(hmacKey)}`],
    legoOrder(facts),
    ['--deploy-hook', shellWord(reload)],
  ] as const;
  return {
    steps: [
      shellStep('Order the certificate', shellLines(...run)),
      shellStep('Renew it by cron', writeCronJob('/etc/cron.d/certloop-lego', 17, shellLine(...run))),
    ],
    notes: ['The certificate is in /var/lib/lego/certificates.', legoHttps],
  };
}

const legoHttps = 'Versions of lego since 2025 require an https address.';

const legoAccount = (facts: SetupFacts) => [
  ...['--accept-tos', '-m', shellWord(emailOf(facts))],
  ...['--server', shellWord(facts.directoryUrl)],
];

const legoOrder = (facts: SetupFacts) => ['--path /var/lib/lego', ...domainsOf(facts), '--http'];

/** acme.sh 3. The folder of `-w` need not exist: nothing is written to it. */
export function acmeShSetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, email, rootFile, reload, names } = facts;
  const server = ['--server', shellWord(directoryUrl)];
  const trust = rootFile === undefined ? [] : ['--ca-bundle', shellWord(rootFile)];
  const file = shellWord(`/etc/ssl/private/${bareName(names[0] ?? '')}`);
  const register = shellLines(
    ['acme.sh --register-account', ...(email === undefined ? [] : ['-m', shellWord(email)])],
    [...server, ...trust],
    ['--eab-kid', shellWord(kid), '--eab-hmac-key', shellWord(hmacKey)],
  );
  const issue = shellLines(
    ['acme.sh --issue', ...server, ...trust],
    [...domainsOf(facts), '-w /var/www/html'],
    ['--key-file', `${file}.key`, '--fullchain-file', `${file}.pem`],
    ['--reloadcmd', shellWord(reload)],
  );
  return {
    steps: [shellStep('Register an account', register), shellStep('Order the certificate', issue)],
    notes: ['The cron job that acme.sh installs renews the certificate.'],
  };
}

/** dehydrated 0.7, by a configuration file of its own. */
export function dehydratedSetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, email, rootFile, reload, names } = facts;
  const base = '/var/lib/dehydrated-certloop';
  const config = [
    `CA=${shellWord(directoryUrl)}`,
    `EAB_KID=${shellWord(kid)}`,
    `EAB_HMAC_KEY=${shellWord(hmacKey)}`,
    ...(rootFile === undefined ? [] : [`CURL_OPTS=${shellWord(`--cacert ${rootFile}`)}`]),
    ...(email === undefined ? [] : [`CONTACT_EMAIL=${shellWord(email)}`]),
    `BASEDIR=${base}`,
    `WELLKNOWN=${base}/challenges`,
    `HOOK=${base}/hook`,
  ].join('\n');
  const [first = ''] = names;
  const alias = first.startsWith('*.') ? ` > ${bareName(first)}` : '';
  const hook = `#!/bin/sh\n[ "$1" != deploy_cert ] || ${reload}`;
  const run = `dehydrated -f ${base}/config`;
  return {
    steps: [
      shellStep(
        'Write its files',
        [
          `mkdir -p ${base}/challenges`,
          writeSecretFile(`${base}/config`, config),
          writeSecretFile(`${base}/domains.txt`, `${names.join(' ')}${alias}`),
          writeSecretFile(`${base}/hook`, hook),
          `chmod 700 ${base}/hook`,
        ].join('\n'),
      ),
      shellStep(
        'Register an account and order the certificate',
        `${run} --register --accept-terms\n${run} -c`,
      ),
      shellStep('Renew it by cron', writeCronJob('/etc/cron.d/certloop-dehydrated', 23, `${run} -c`)),
    ],
    notes: [
      `The certificate is in ${base}/certs.`,
      ...(rootFile?.includes(' ') === true
        ? ['dehydrated takes no path with a space: rename the file.']
        : []),
    ],
  };
}

/** uacme 1.7, which trusts only the roots of the system. Without challenges it needs no hook. */
export function uacmeSetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, email, rootFile, reload, names } = facts;
  const uacme = ['uacme -y -a', shellWord(directoryUrl), '-c /etc/ssl/uacme'];
  const register = [
    `-e ${shellWord(`${kid}:${hmacKey}`)} -t EC new`,
    ...(email === undefined ? [] : [shellWord(email)]),
  ];
  const issue = shellLine(uacme, ['-t EC issue', ...names.map(shellWord), '&&', reload]);
  const trust =
    rootFile === undefined
      ? []
      : [
          shellStep(
            'Trust the server',
            `cp ${shellWord(rootFile)} /usr/local/share/ca-certificates/certloop-root.crt\nupdate-ca-certificates`,
          ),
        ];
  return {
    steps: [
      ...trust,
      shellStep('Register an account', shellLines(uacme, register)),
      shellStep('Order the certificate', issue),
      shellStep('Renew it by cron', writeCronJob('/etc/cron.d/certloop-uacme', 29, issue)),
    ],
    notes: ['The certificate is in /etc/ssl/uacme, its key below /etc/ssl/uacme/private.'],
  };
}
