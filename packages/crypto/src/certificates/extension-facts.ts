import { oid } from '../der/oids.js';

/** Name and content of an extension, for readers. */
export interface ExtensionFacts {
  readonly name: string;
  readonly description: string;
}

const facts: ReadonlyMap<string, ExtensionFacts> = new Map(
  (
    [
      [oid.subjectKeyIdentifier, 'subjectKeyIdentifier', 'Identifies the public key of the subject'],
      [oid.keyUsage, 'keyUsage', 'What the key may be used for'],
      ['2.5.29.16', 'privateKeyUsagePeriod', 'When the private key may be used'],
      [oid.subjectAltName, 'subjectAltName', 'Names and addresses the certificate is valid for'],
      [oid.issuerAltName, 'issuerAltName', 'Further names of the issuer'],
      [oid.basicConstraints, 'basicConstraints', 'Whether the subject is a certificate authority'],
      [oid.nameConstraints, 'nameConstraints', 'Names an authority may issue certificates for'],
      [oid.crlDistributionPoints, 'cRLDistributionPoints', 'Where the revocation list is found'],
      [oid.certificatePolicies, 'certificatePolicies', 'Policies the certificate is issued under'],
      ['2.5.29.33', 'policyMappings', 'Policies of two authorities that count as equal'],
      [
        oid.authorityKeyIdentifier,
        'authorityKeyIdentifier',
        'Identifies the key that signed the certificate',
      ],
      ['2.5.29.36', 'policyConstraints', 'How policies are required along the chain'],
      [oid.extendedKeyUsage, 'extendedKeyUsage', 'Purposes the key may be used for'],
      ['2.5.29.46', 'freshestCRL', 'Where the delta revocation list is found'],
      ['2.5.29.54', 'inhibitAnyPolicy', 'Whether the policy "any" counts along the chain'],
      [
        oid.authorityInfoAccess,
        'authorityInfoAccess',
        'Where the issuer and its revocation status are found',
      ],
      ['1.3.6.1.5.5.7.1.3', 'qcStatements', 'Statements of a qualified certificate'],
      ['1.3.6.1.5.5.7.1.11', 'subjectInfoAccess', 'Where services of the subject are found'],
      [oid.tlsFeature, 'tlsFeature', 'TLS extensions a server must offer with the certificate'],
      ['1.3.6.1.5.5.7.1.31', 'acmeIdentifier', 'Proof of an ACME tls-alpn-01 challenge'],
      [oid.ocspNoCheck, 'ocspNoCheck', 'The OCSP responder itself is not checked for revocation'],
      ['1.3.6.1.4.1.11129.2.4.2', 'signedCertificateTimestamps', 'Proofs of certificate transparency'],
      ['1.3.6.1.4.1.11129.2.4.3', 'ctPoison', 'Marks a precertificate of certificate transparency'],
      ['1.3.6.1.4.1.311.20.2', 'msCertificateTemplateName', 'Name of the Microsoft certificate template'],
      ['1.3.6.1.4.1.311.21.7', 'msCertificateTemplate', 'Microsoft certificate template and its version'],
      ['1.3.6.1.4.1.311.21.10', 'msApplicationPolicies', 'Purposes in the form of Microsoft policies'],
      ['1.3.6.1.4.1.311.25.2', 'msSecurityIdentifier', 'Security identifier of a Microsoft account'],
      ['1.2.840.113549.1.9.15', 'smimeCapabilities', 'Ciphers the mail program of the subject knows'],
      [oid.netscapeCertType, 'netscapeCertType', 'What the certificate was for in Netscape programs'],
      ['2.16.840.1.113730.1.13', 'netscapeComment', 'A comment of the program that made it'],
    ] as const
  ).map(([dotted, name, description]) => [dotted, { name, description }]),
);

/** Name and description of an extension; an unknown one is named by its object identifier. */
export function extensionFacts(dotted: string): ExtensionFacts {
  return facts.get(dotted) ?? { name: dotted, description: 'Unknown extension' };
}
