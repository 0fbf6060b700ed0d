import { InvalidInput } from '@certloop/contracts';
import { type Certificate, parseCertificate } from '../certificates/certificate.js';
import { type DerElement, parseDer, tag } from '../der/der.js';
import { oid } from '../der/oids.js';
import { verifySignatureSync } from '../keys/signatures.js';
import { parseIpAddress } from '../names/ip-addresses.js';
import { faultIf, lintExtensions } from './lint-extensions.js';

/**
 * Departures of a certificate from DER and the profile of RFC 5280 that verifiers tend to overlook, one sentence
 * each; empty for a clean one. With the certificate of its issuer also what the two must have in common.
 * Never throws: what cannot be read at all is one sentence.
 */
export function lintCertificate(der: Buffer, issuerDer?: Buffer): string[] {
  try {
    const certificate = parseCertificate(der);
    const issuer = issuerDer === undefined ? undefined : parseCertificate(issuerDer);
    return [
      ...lintSignedPart(certificate, parseDer(der, 'certificate')),
      ...lintExtensions(certificate),
      ...lintNames(certificate),
      ...(issuer === undefined ? [] : lintAgainstIssuer(certificate, issuer)),
    ];
  } catch (error) {
    if (error instanceof InvalidInput) return [error.message];
    throw error;
  }
}

// RFC 5280 §4.1.2.2: 20 octets, the first bit of which must stay clear.
const maxSerialOctets = 20;

function lintSignedPart(certificate: Certificate, element: DerElement): string[] {
  const signed = element.children[0]?.children ?? [];
  const serial = signed.find((child) => child.tag === tag.integer)?.content ?? Buffer.alloc(0);
  const validity = signed.find((child) => child.children.some(isTime))?.children ?? [];
  return [
    ...faultIf(certificate.version !== 3, 'the version is not 3'),
    ...faultIf(((serial[0] ?? 0) & 0x80) !== 0, 'the serial number is negative'),
    ...faultIf(
      serial.every((octet) => octet === 0),
      'the serial number is 0',
    ),
    ...faultIf(serial.length > maxSerialOctets, 'the serial number is longer than 20 octets'),
    ...faultIf(certificate.notAfter < certificate.notBefore, 'notAfter is before notBefore'),
    ...faultIf(certificate.issuer.length === 0, 'the issuer is empty'),
    ...validity.flatMap(lintTime),
    ...lintAlgorithm(certificate, element.children[1]),
  ];
}

const isTime = (element: DerElement): boolean =>
  element.tag === tag.utcTime || element.tag === tag.generalizedTime;

function lintTime(element: DerElement): string[] {
  const isEarly = element.tag === tag.generalizedTime && element.content.toString('latin1') < '2050';
  return isEarly ? ['a year before 2050 is written as GeneralizedTime'] : [];
}

function lintAlgorithm({ signatureAlgorithm }: Certificate, element: DerElement | undefined): string[] {
  const { kind } = signatureAlgorithm.scheme;
  const parameters = element?.children[1];
  return [
    ...faultIf(kind === 'ecdsa' && parameters !== undefined, 'the ECDSA signature algorithm has parameters'),
    ...faultIf(
      kind === 'rsa-pkcs1' && parameters?.tag !== tag.null,
      'the RSA signature algorithm lacks its NULL',
    ),
    ...faultIf(kind === 'unsupported', `the signature algorithm ${signatureAlgorithm.name} is not accepted`),
  ];
}

// Upper bounds of RFC 5280 Appendix A.1, in characters.
const upperBounds: ReadonlyMap<string, readonly [name: string, bound: number]> = new Map([
  [oid.commonName, ['common name', 64]],
  ['2.5.4.10', ['organization', 64]],
  ['2.5.4.11', ['organizational unit', 64]],
  ['2.5.4.6', ['country', 2]],
  ['2.5.4.7', ['locality', 128]],
  ['2.5.4.8', ['state', 128]],
]);

function lintNames({ subject, subjectAltNames, isCa }: Certificate): string[] {
  return [
    ...subject.flat().flatMap(({ type, text }) => {
      const [name, bound] = upperBounds.get(type) ?? ['', Number.POSITIVE_INFINITY];
      return faultIf([...(text ?? '')].length > bound, `the ${name} is longer than ${bound} characters`);
    }),
    ...subjectAltNames.dnsNames.flatMap(lintDnsName),
    ...faultIf(isCa && subject.length === 0, 'the authority has no subject'),
  ];
}

function lintDnsName(name: string): string[] {
  if (parseIpAddress(name) !== undefined) return [`the IP address ${name} is written as a dNSName`];
  return faultIf(!/^[A-Za-z0-9*._-]+$/.test(name), `the dNSName ${JSON.stringify(name)} is not a host name`);
}

function lintAgainstIssuer(certificate: Certificate, issuer: Certificate): string[] {
  const { authorityKeyIdentifier } = certificate;
  const { subjectKeyIdentifier } = issuer;
  const contradicts =
    authorityKeyIdentifier !== undefined &&
    subjectKeyIdentifier !== undefined &&
    !authorityKeyIdentifier.equals(subjectKeyIdentifier);
  const verification = verifySignatureSync(certificate, issuer.publicKey);
  return [
    ...faultIf(
      !certificate.issuerDer.equals(issuer.subjectDer),
      'the issuer is not byte for byte the subject of its certificate',
    ),
    ...faultIf(contradicts, 'the authority key identifier is not the key identifier of the issuer'),
    ...faultIf(!issuer.isCa || !issuer.maySignCertificates, 'the issuer may not sign certificates'),
    ...faultIf(certificate.notBefore < issuer.notBefore, 'notBefore is before that of the issuer'),
    ...faultIf(certificate.notAfter > issuer.notAfter, 'notAfter is after that of the issuer'),
    ...(verification.ok ? [] : [`the signature of the issuer is wrong: ${verification.reason}`]),
  ];
}
