import {
  type AddressObservation,
  classifyObservation,
  createGuard,
  describeServed,
  hintOf,
  type Judging,
  keyAlgorithmOf,
  type Place,
  parseHost,
  parsePlace,
  probe,
  protocols,
  usualPorts,
} from '@certloop/tls-probe';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { duration } from '../../numbers.js';
import {
  expectationOf,
  type ProbeOptions,
  readCertificates,
  systemRoots,
  understood,
} from './probe-expectation.js';
import { reportServed } from './report-served.js';

/** Adds `probe`. */
export function addProbe(program: Command, open: () => Session, ended: (code: number) => void): void {
  program
    .command('probe <places...>')
    .description('Show which certificate each address of HOST[:PORT] serves now; exit code 1 for a fault')
    .option('--target <place>', 'probe this HOST[:PORT]; the argument is then the FQDN that it serves')
    .option('--report', 'probe the targets of the given FQDNs, and report the results to cert-manager')
    .addOption(
      new Option('--starttls <protocol>', 'start TLS within this protocol').choices(
        protocols.filter((protocol) => protocol !== 'tls'),
      ),
    )
    .option('--sni <name>', 'server name (SNI) to send, if it is not the host')
    .option('--cert <file>', 'expect this certificate: a PEM file with its chain')
    .option('--fqdn <name>', 'expect the newest certificate of this FQDN in cert-manager')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('--ca <file>', 'trust these roots too: a PEM file')
    .option(
      '--grace <duration>',
      'how long after a renewal an earlier certificate may be served: seconds, or 1d, 36h',
      duration('--grace', 's', 0, 31_536_000),
      86_400,
    )
    .action(async (places, options) => {
      if (!(await probeAll(open(), places, options))) ended(1);
    });
}

/** Whether all addresses of all places are well. */
async function probeAll(
  session: Session,
  places: readonly string[],
  options: ProbeOptions,
): Promise<boolean> {
  if (options.report === true)
    return reportServed(session, places, { guard: hereGuard, space: options.space });
  if (options.target !== undefined) {
    const [fqdn, ...more] = places;
    if (fqdn === undefined || more.length > 0) throw new UsageError('--target: name one FQDN');
    return showServed(session, [options.target], { sni: fqdn, ...options, fqdn });
  }
  return showServed(session, places, options);
}

// The person at the command line may reach private networks anyway; metadata and link-local addresses stay refused.
export const hereGuard = createGuard({ allowCidrs: ['0.0.0.0/0', '::/0'] });

/** Whether all addresses are well. */
async function showServed(
  session: Session,
  places: readonly string[],
  options: ProbeOptions,
): Promise<boolean> {
  if (options.cert !== undefined && options.fqdn !== undefined)
    throw new UsageError('--cert and --fqdn cannot be combined');
  const protocol = options.starttls ?? 'tls';
  const parsed = places.map((text) => understood(() => parsePlace(text, usualPorts[protocol])));
  const sni = options.sni === undefined ? undefined : understood(() => parseHost(options.sni ?? ''));
  const expected = await expectationOf(session, options);
  const ca = options.ca === undefined ? [] : await readCertificates(session, '--ca', options.ca);
  const trustedRoots = expected === undefined ? [...systemRoots(), ...ca] : ca;
  const keyAlgorithm = expected?.newest && keyAlgorithmOf(expected.newest);
  const results: Shown[] = [];
  await session.progress(parsed.length, async (step) => {
    for (const place of parsed) {
      step(place.host);
      const name = sni ?? place.host;
      const observed = await probe({ ...place, protocol, sni: name, keyAlgorithm }, { guard: hereGuard });
      const judging = { name, expected, trustedRoots, now: new Date() };
      results.push(...observed.map((one) => shownOf(one, place, judging)));
    }
  });
  session.report.list(results, (result) => ({
    address: result.address,
    class: result.class,
    serial: result.served?.serialNumber ?? '',
    expires: result.served?.notAfter.slice(0, 10) ?? '',
  }));
  for (const { well, hint } of results) if (!well) session.report.warn(hint);
  return results.every(({ well }) => well);
}

type Shown = ReturnType<typeof shownOf>;

function shownOf({ address, observation }: AddressObservation, { host, port }: Place, judging: Judging) {
  const verdict = classifyObservation(observation, judging);
  const where = address?.includes(':') === true ? `[${address}]:${port}` : `${address ?? host}:${port}`;
  const served = verdict.served && describeServed(verdict.served);
  return {
    address: where,
    class: verdict.class,
    well: verdict.isWell,
    ...('stage' in observation && observation),
    ...(served && { served }),
    hint: hintOf(where, verdict, observation, judging.expected?.newest),
  };
}
