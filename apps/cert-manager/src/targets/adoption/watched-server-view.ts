import type { AppError, WatchedServer, WatchedServerInput } from '@certloop/contracts';
import { type Certificate, describeCertificate, fingerprint, formatName } from '@certloop/crypto';
import { type AddressObservation, type ServedCertificate, usualPorts } from '@certloop/tls-probe/rules';
import { servedChainOf } from '../../judging/served-chain.js';
import { readableText } from '../../providers/provider.js';
import { severityOf, verdictOf } from '../served/served-verdict.js';
import { addressView, type ServedPart } from '../served/served-view.js';
import type { TargetSettings } from '../target.js';

/** A server that was refused, or that is watched, with what is shown of it. */
type ShownServer =
  | {
      readonly input: WatchedServerInput;
      readonly refusal: Pick<AppError, 'code' | 'message' | 'fields'>;
    }
  | { readonly placed: ShownPlace; readonly probed: ShownProbe | undefined };

interface ShownPlace {
  readonly fqdn: { readonly id: string; readonly fqdn: string };
  readonly target: ShownTarget;
  readonly newest: ShownNewest | undefined;
  readonly isNewFqdn: boolean;
  readonly isNewTarget: boolean;
}

type ShownTarget = TargetSettings & { readonly id: string; readonly adopt: boolean | null };

interface ShownNewest {
  readonly row: { readonly id: string; readonly serialNumber: string; readonly createdAt: Date };
  readonly leaf: Certificate;
  readonly fingerprint: string;
}

interface ShownProbe {
  readonly target: ShownTarget;
  readonly found: readonly AddressObservation[];
  readonly states: ServedPart['targets'][number]['states'];
  readonly newest: ShownNewest | undefined;
  readonly isNewCertificate: boolean;
  readonly now: Date;
}

/** Outcome for a server that was to be watched, as the API shows it. */
export function watchedServerView(result: ShownServer): WatchedServer {
  if ('refusal' in result) {
    const { input, refusal } = result;
    const { host, protocol = 'tls' } = input;
    const field = refusal.fields[0]?.path;
    return {
      host,
      port: input.port ?? usualPorts[protocol],
      protocol,
      isNewFqdn: false,
      isNewTarget: false,
      isNewCertificate: false,
      refusal: { code: refusal.code, message: refusal.message, ...(field !== undefined && { field }) },
    };
  }
  const { placed, probed } = result;
  const { fqdn, isNewFqdn, isNewTarget } = placed;
  const target = probed?.target ?? placed.target;
  const newest = probed === undefined ? placed.newest : probed.newest;
  return {
    host: target.host,
    port: target.port,
    protocol: target.protocol,
    sni: target.sni,
    fqdn: fqdn.fqdn,
    fqdnId: fqdn.id,
    targetId: target.id,
    isNewFqdn,
    isNewTarget,
    isNewCertificate: probed?.isNewCertificate ?? false,
    ...(newest !== undefined && { certificateId: newest.row.id }),
    ...(target.adopt === true && { adopt: true }),
    ...(probed !== undefined && probedPart(probed)),
    ...(probed === undefined && target.mode === 'probe' && { pending: true }),
  };
}

function probedPart({ target, found, states, newest, now }: ShownProbe) {
  const expected = newest && {
    certificateId: newest.row.id,
    serialNumber: newest.row.serialNumber,
    fingerprint: newest.fingerprint,
    notAfter: newest.leaf.notAfter,
    issuedAt: newest.row.createdAt,
  };
  const addresses = [...states]
    .sort((a, b) => severityOf(a.class) - severityOf(b.class))
    .map((state) => addressView(state, target, expected));
  const { class: worst } = verdictOf(states.map((state) => state.class));
  const presented = presentedBy(found, newest?.fingerprint);
  const [first] = addresses;
  const { stage, failure, hint = '' } = first ?? {};
  const isFailure = presented === undefined && stage !== undefined && failure !== undefined;
  return {
    ...(worst !== undefined && { class: worst }),
    ...(presented !== undefined && { served: presentedView(presented, now) }),
    addresses,
    ...(isFailure && { failure: { stage, failure, hint } }),
  };
}

/** Of all that is served the newest certificate, or else the one that ends first. */
function presentedBy(
  found: readonly AddressObservation[],
  newestSha256: string | undefined,
): ServedCertificate | undefined {
  const all = found.flatMap(({ observation }) => ('served' in observation ? observation.served : []));
  const newest = all.filter(({ leaf }) => fingerprint(leaf.der) === newestSha256);
  const fullest = newest.sort((a, b) => b.others.length - a.others.length)[0];
  return fullest ?? all.sort((a, b) => a.leaf.notAfter.getTime() - b.leaf.notAfter.getTime())[0];
}

const maxNames = 100;

function presentedView({ leaf, others }: ServedCertificate, now: Date): NonNullable<WatchedServer['served']> {
  const facts = describeCertificate(leaf);
  const { unverified } = servedChainOf(leaf, others, now);
  return {
    issuer: readableText(facts.issuer),
    serialNumber: facts.serialNumber,
    notBefore: facts.notBefore.toISOString(),
    notAfter: facts.notAfter.toISOString(),
    fingerprint: facts.fingerprint,
    dnsNames: facts.dnsNames.slice(0, maxNames),
    chain: [leaf, ...others].map(sentView),
    verified: unverified === undefined,
    ...(unverified !== undefined && { unverifiedReason: readableText(unverified) }),
  };
}

function sentView(certificate: Certificate) {
  return {
    subject: readableText(formatName(certificate.subject)),
    issuer: readableText(formatName(certificate.issuer)),
    notAfter: certificate.notAfter.toISOString(),
    fingerprint: fingerprint(certificate.der),
  };
}
