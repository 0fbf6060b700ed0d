import { InvalidInput } from '@certloop/contracts';
import { contextConstructed } from '../der/der.js';
import { encode, encodeBitOctets, encodeInteger, encodeSequence } from '../der/der-writer.js';
import { encodeTime } from '../der/times.js';
import { encodeProfile, type IssueRequest, profileOids } from './certificate-profile.js';
import type { Issuer } from './issuer.js';

/**
 * DER of a certificate of version 3 by the profile of RFC 5280: key identifiers, critical keyUsage and
 * basicConstraints, subjectAltName critical if and only if the subject is empty. Throws InvalidInput for a serial
 * number out of range, a validity that is none or leaves the issuer's, and extensions given twice.
 */
export async function issueCertificate(issuer: Issuer, request: IssueRequest): Promise<Buffer> {
  refuseInvalidRequest(issuer, request);
  const signed = encodeSequence(
    versionThree,
    encodeInteger(request.serialNumber),
    issuer.algorithmDer,
    issuer.nameDer,
    encodeSequence(encodeTime(request.notBefore), encodeTime(request.notAfter)),
    request.subjectDer,
    request.spkiDer,
    encode(contextConstructed(3), encodeSequence(...encodeProfile(issuer, request))),
  );
  return encodeSequence(signed, issuer.algorithmDer, encodeBitOctets(await issuer.sign(signed)));
}

const versionThree = encode(contextConstructed(0), encodeInteger(2n));
const maxSerialNumber = 2n ** 159n - 1n;

function refuseInvalidRequest({ certificate }: Issuer, request: IssueRequest): void {
  const { serialNumber, notBefore, notAfter, extensions = [] } = request;
  if (serialNumber < 1n || serialNumber > maxSerialNumber) {
    throw new InvalidInput('The serial number must be between 1 and 2^159 - 1', { code: 'invalid_serial' });
  }
  if (!(notBefore <= notAfter)) {
    throw new InvalidInput(
      'The certificate would end before it starts: notAfter must not be before notBefore',
      { code: 'invalid_validity' },
    );
  }
  if (notBefore < certificate.notBefore || notAfter > certificate.notAfter) {
    const reason =
      'The certificate would be valid at a time when its issuer is not: choose notBefore and notAfter within those of the issuer';
    throw new InvalidInput(reason, { code: 'validity_outside_issuer' });
  }
  const added = new Set(extensions.map((extension) => extension.oid));
  if (added.size < extensions.length || profileOids.some((each) => added.has(each))) {
    throw new InvalidInput('An extension appears twice, or the profile already sets it', {
      code: 'duplicate_extension',
    });
  }
}
