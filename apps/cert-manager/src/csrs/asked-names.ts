import { type Csr, csrLabels, listCommonNames, parseCsr, parsePem } from '@certloop/crypto';
import type { AskedNames } from '../fqdns/policy/issuance-policy.js';

const commonName = '2.5.4.3';
// PKCS #9, an address of mail within a subject (RFC 5280 §4.1.2.6)
const subjectEmail = '1.2.840.113549.1.9.1';

/** Every name that a CSR asks for: its common names, its subject alternative names, and mail addresses in its subject. */
export function askedNames({ subject, subjectAltNames }: Csr): AskedNames {
  const { dnsNames, ipAddresses, emailAddresses, uris, directoryNames, otherNames } = subjectAltNames;
  const hidden = subject.flat().flatMap(({ type, text, value }) => {
    if (type === subjectEmail) return [`emailAddress:${text ?? value.toString('hex')}`];
    // a text that cannot be read here may be one elsewhere
    return type === commonName && text === undefined ? [`commonName:#${value.toString('hex')}`] : [];
  });
  return {
    commonNames: listCommonNames(subject),
    dnsNames,
    ipAddresses,
    emailAddresses,
    uris,
    otherNames: [...directoryNames.map((name) => `directoryName:${name}`), ...otherNames, ...hidden],
  };
}

/** The names of a stored CSR, by its description where that has all of them, else by the CSR itself. */
export function storedNames({
  csrPem,
  description,
}: {
  readonly csrPem: string;
  readonly description: string;
}): AskedNames {
  const described = JSON.parse(description) as Partial<AskedNames>;
  return isComplete(described) ? described : askedNames(parseCsr(parsePem(csrPem, csrLabels)));
}

/** Versions before policies stored neither common names nor names of other kinds. */
function isComplete(described: Partial<AskedNames>): described is AskedNames {
  return described.commonNames !== undefined && described.otherNames !== undefined;
}
