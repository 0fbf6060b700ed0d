/**
 * A command line of a command's help. A test runs all of them from the first to the last, in a folder with the files
 * that they name.
 */
export interface Example {
  /** Command that shows it. */
  readonly of: string;
  readonly line: string;
  /** Description, where the line does not show what it does. */
  readonly what?: string;
}

const example = (of: string, line: string, what?: string): Example => ({
  of,
  line: `certloop ${line}`,
  ...(what !== undefined && { what }),
});

/** All examples, each after those that it builds on. */
export const examples: readonly Example[] = [
  example('status', 'status'),
  example('version', 'version'),
  example('spaces', "spaces create Shop --description 'shop and payment' --if-not-exists"),
  example('spaces', 'spaces policy Shop --suffix example.test --wildcards'),
  example('contexts', 'contexts create work --default-space Shop'),
  example('contexts', 'contexts list'),
  example(
    'acme-clients',
    'acme-clients create web-7 --space Shop --suffix example.test -o certbot',
    'prints commands for certbot',
  ),
  example('acme-clients', 'acme-clients list --space Shop'),
  example('issue', 'issue shop.csr --space Shop --provider dummy-ca --renew --out-dir certificates'),
  example('issue', 'issue *.csr --space Shop --provider dummy-ca --if-needed', 'signs what is new or due'),
  example('fqdns', 'fqdns create mail.example.test --space Shop --provider dummy-ca'),
  example('fqdns', 'fqdns list --space Shop --state valid --sort expiresAt'),
  example('fqdns', 'fqdns explain shop.example.test', 'when its certificate is renewed, and why'),
  example('expiring', 'expiring --within 2w', 'what expires within two weeks'),
  example('csrs', 'csrs create api.example.test api.csr --dry-run', 'only validates the CSR'),
  example('lint', 'lint api.csr --fqdn api.example.test --profile private --key api.key'),
  example('csrs', 'csrs list shop.example.test -o wide'),
  example('certificates', 'certificates get shop.example.test'),
  example('certificates', 'certificates find 0A:1B:2C:3D'),
  example('certificates', 'certificates save shop.example.test --out shop.pem'),
  example('probe', 'probe shop.example.test --target 127.0.0.1:8443', 'compares with the newest certificate'),
  example('pull', 'pull shop.example.test --dir machine --key shop.key --once'),
  example(
    'deploy-hook',
    'deploy-hook --reload touch reloaded --verify 127.0.0.1:8443',
    'as a deploy hook of certbot or lego',
  ),
  example('certificates', 'certificates download shop.example.test --format p7b --out shop.p7b'),
  example('import', 'import pem certificates --space Shop', 'what an import of these files would do'),
  example('certificates', 'certificates revoke shop.example.test --reason superseded --yes'),
  example('renewals', "renewals on 'api.*' --space Shop --dry-run", 'lists what would be switched on'),
  example('renewals', 'renewals list --status pending'),
  example('readiness', 'readiness --space Shop', 'what the rules of today break'),
  example('issuance-jobs', 'issuance-jobs list --space Shop --status failed'),
  example('watch', 'watch --file servers.txt --space Shop', 'what servers present, and from now on'),
  example(
    'watch',
    'watch 127.0.0.1:8443 --name shop.example.test -s Shop --from-here',
    'looks from this machine',
  ),
  example('targets', 'targets create shop.example.test 127.0.0.1 --port 8443 --mode report --every 1h'),
  example('targets', 'targets list shop.example.test'),
  example('inventory', 'inventory --space Shop', 'issuers, intermediates, keys, and who renews'),
  example('providers', 'providers list'),
  example('providers', 'providers create staging --kind dummy-ca --config staging.json'),
  example('providers', 'providers test staging'),
  example('groups', 'groups create readers --permission READ --space Shop'),
  example('users', 'users create anna --email anna@example.org --group readers --password-file password.txt'),
  example('users', 'users permissions anna', 'what the user may do, and by which groups'),
  example('login', 'login --url https://certs.example.org --username anna'),
  example('whoami', 'whoami'),
  example('logout', 'logout'),
  example('tokens', 'tokens create nightly --scope READ --expires-in 12w --space Shop'),
  example('tokens', 'tokens list --user anna'),
  example('sessions', 'sessions list'),
  example('audit', "audit list --space Shop --action 'fqdn.*' --limit 20"),
  example('audit', 'audit export --format csv --out audit.csv'),
  example('projects', 'projects create Jobs --if-not-exists'),
  example('projects', 'projects list -o json'),
  example('integrations', 'integrations create Ops --kind webhook --url https://hooks.example.org/certloop'),
  example('integrations', 'integrations list'),
  example(
    'checks',
    "checks create Backup --slug backup --schedule '30 2 * * *' --tz Europe/Berlin --grace 1h",
  ),
  example('checks', 'checks update backup --grace 36h'),
  example('run', "run backup -- sh -c 'echo copied 3 files'"),
  example('ping', 'ping backup --exit-status 0'),
  example('pings', 'pings list backup --limit 5'),
  example('pings', 'pings get backup', 'the output of the last run'),
  example('flips', 'flips list backup --within 30d'),
  example(
    'checks',
    'checks list -o \'jsonpath=$[?@.status=="down"].name\'',
    'the names of those that are down',
  ),
  example('ca', 'ca trust'),
  example('ca', "ca issue www.shop.test '*.shop.test' --days 30 --out-dir tests"),
  example(
    'check-files',
    'check-files --cert tests/www.shop.test.pem --key tests/www.shop.test.key --name www.shop.test',
  ),
  example('admin', 'admin monitor project list'),
  example('admin', 'admin manager keys rotate'),
  example('completion', 'completion bash', 'source the output, as docs/command-line.md shows'),
];

/** The examples that the test of the bundle runs, since they need its file. */
export const bundleExamples: readonly Example[] = [example('install', 'install --dir ~/.local/bin')];

/** Returns the examples of a command and of those below it; the name is as in `spaces` or `spaces create`. */
export function examplesOf(name: string): Example[] {
  const all = [...examples, ...bundleExamples];
  return all.filter(({ of, line }) => of === name || `${line} `.startsWith(`certloop ${name} `));
}

/** Examples as help shows them; '' for a command without any. */
export function formatExamples(name: string): string {
  const lines = examplesOf(name).map(
    ({ line, what }) => `  ${line}${what === undefined ? '' : `   # ${what}`}`,
  );
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}\n`;
}
