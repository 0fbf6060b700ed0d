/** Object identifiers that the code decides by, in dotted text. */
export const oid = {
  extensionRequest: '1.2.840.113549.1.9.14',
  microsoftExtensionRequest: '1.3.6.1.4.1.311.2.1.14',
  pkcs7Data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  rsaEncryption: '1.2.840.113549.1.1.1',
  mgf1: '1.2.840.113549.1.1.8',
  rsassaPss: '1.2.840.113549.1.1.10',
  dsa: '1.2.840.10040.4.1',
  ecPublicKey: '1.2.840.10045.2.1',
  x25519: '1.3.101.110',
  x448: '1.3.101.111',
  ed25519: '1.3.101.112',
  ed448: '1.3.101.113',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  nameConstraints: '2.5.29.30',
  crlReason: '2.5.29.21',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
  ocsp: '1.3.6.1.5.5.7.48.1',
  ocspBasic: '1.3.6.1.5.5.7.48.1.1',
  ocspNonce: '1.3.6.1.5.5.7.48.1.2',
  ocspNoCheck: '1.3.6.1.5.5.7.48.1.5',
  caIssuers: '1.3.6.1.5.5.7.48.2',
  tlsFeature: '1.3.6.1.5.5.7.1.24',
  netscapeCertType: '2.16.840.1.113730.1.1',
  commonName: '2.5.4.3',
} as const;

/** Short name of an attribute type of a distinguished name: RFC 4514 §3 and the descriptors in common use. */
export const attributeTypeNames: ReadonlyMap<string, string> = new Map([
  [oid.commonName, 'CN'],
  ['2.5.4.4', 'SN'],
  ['2.5.4.5', 'serialNumber'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.9', 'STREET'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.12', 'title'],
  ['2.5.4.13', 'description'],
  ['2.5.4.15', 'businessCategory'],
  ['2.5.4.17', 'postalCode'],
  ['2.5.4.41', 'name'],
  ['2.5.4.42', 'GN'],
  ['2.5.4.43', 'initials'],
  ['2.5.4.44', 'generationQualifier'],
  ['2.5.4.46', 'dnQualifier'],
  ['2.5.4.65', 'pseudonym'],
  ['2.5.4.97', 'organizationIdentifier'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['1.2.840.113549.1.9.1', 'emailAddress'],
  ['1.2.840.113549.1.9.2', 'unstructuredName'],
  ['1.3.6.1.4.1.311.60.2.1.1', 'jurisdictionL'],
  ['1.3.6.1.4.1.311.60.2.1.2', 'jurisdictionST'],
  ['1.3.6.1.4.1.311.60.2.1.3', 'jurisdictionC'],
]);

/** A purpose of the extended key usage: `name` as in RFC 5280, `purpose` in words as OpenSSL prints it. */
export interface KeyPurpose {
  readonly name: string;
  readonly purpose: string;
}

export const keyPurposes: ReadonlyMap<string, KeyPurpose> = new Map(
  (
    [
      ['1.3.6.1.5.5.7.3.1', 'serverAuth', 'TLS Web Server Authentication'],
      ['1.3.6.1.5.5.7.3.2', 'clientAuth', 'TLS Web Client Authentication'],
      ['1.3.6.1.5.5.7.3.3', 'codeSigning', 'Code Signing'],
      ['1.3.6.1.5.5.7.3.4', 'emailProtection', 'E-mail Protection'],
      ['1.3.6.1.5.5.7.3.5', 'ipsecEndSystem', 'IPsec End System'],
      ['1.3.6.1.5.5.7.3.6', 'ipsecTunnel', 'IPsec Tunnel'],
      ['1.3.6.1.5.5.7.3.7', 'ipsecUser', 'IPsec User'],
      ['1.3.6.1.5.5.7.3.8', 'timeStamping', 'Time Stamping'],
      ['1.3.6.1.5.5.7.3.9', 'OCSPSigning', 'OCSP Signing'],
      ['1.3.6.1.5.5.7.3.17', 'ipsecIKE', 'IPsec Internet Key Exchange'],
      ['1.3.6.1.5.5.7.3.21', 'sshClient', 'SSH Client'],
      ['1.3.6.1.5.5.7.3.22', 'sshServer', 'SSH Server'],
      ['1.3.6.1.5.5.7.3.36', 'documentSigning', 'Document Signing'],
      ['1.3.6.1.5.2.3.4', 'pkInitClientAuth', 'PKINIT Client Authentication'],
      ['1.3.6.1.5.2.3.5', 'pkInitKDC', 'PKINIT Key Distribution Centre'],
      ['1.3.6.1.4.1.311.20.2.2', 'msSmartcardLogin', 'Microsoft Smart Card Login'],
      ['1.3.6.1.4.1.311.10.3.4', 'msEFS', 'Microsoft Encrypted File System'],
      ['2.5.29.37.0', 'anyExtendedKeyUsage', 'Any Extended Key Usage'],
    ] as const
  ).map(([dotted, name, purpose]) => [dotted, { name, purpose }]),
);

/** Words for the bits 0 to 8 of keyUsage (RFC 5280 §4.2.1.3). */
export const keyUsagePurposes = [
  'Digital Signature',
  'Non Repudiation',
  'Key Encipherment',
  'Data Encipherment',
  'Key Agreement',
  'Certificate Sign',
  'CRL Sign',
  'Encipher Only',
  'Decipher Only',
] as const;

/** Numbers of the keyUsage bits that issuing and checking decide by. */
export const keyUsageBit = { digitalSignature: 0, keyEncipherment: 2, keyCertSign: 5, cRLSign: 6 } as const;

/** Reasons of a revocation by their numbers in CRLReason (RFC 5280 §5.3.1). */
export const revocationReasons = {
  unspecified: 0,
  keyCompromise: 1,
  cACompromise: 2,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
  certificateHold: 6,
  privilegeWithdrawn: 9,
  aACompromise: 10,
} as const;
