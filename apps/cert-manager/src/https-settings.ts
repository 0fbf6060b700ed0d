import { baseAddress, type ConfigOf, portNumber, setting, wordList } from '@certloop/server';
import { z } from 'zod';

/** Settings of the https listener, and of the address by which ACME clients reach the service. */
export const httpsSettings = {
  httpsPort: setting(
    'CERT_MANAGER_HTTPS_PORT',
    portNumber.optional(),
    'TCP port for https, in addition to http; 0 selects a free port; no https when absent',
  ),
  tlsCertFile: setting(
    'TLS_CERT_FILE',
    z.string().optional(),
    'file with the certificate for https and its chain, PEM, leaf first; read again every 10 s',
  ),
  tlsKeyFile: setting(
    'TLS_KEY_FILE',
    z.string().optional(),
    'file with the private key of that certificate, PEM, without a passphrase',
  ),
  httpsNames: setting(
    'CERT_MANAGER_HTTPS_NAMES',
    wordList.default([]),
    'without TLS_CERT_FILE: host names and addresses of the certificate for https, which the dummy-ca of DUMMY_CA_URL issues and renews; for tests',
  ),
  acmeUrl: setting(
    'CERT_MANAGER_ACME_URL',
    baseAddress.optional(),
    'address that ACME clients use, such as https://certs.example.org; CERT_MANAGER_PUBLIC_URL when absent',
  ),
} as const;

type HttpsConfig = ConfigOf<typeof httpsSettings> & { readonly dummyCaUrl?: string | undefined };

/** Sentences about settings of https that contradict each other. */
export function httpsFaults(config: HttpsConfig): string[] {
  const { httpsPort, tlsCertFile, tlsKeyFile, httpsNames, dummyCaUrl } = config;
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined))
    return ['TLS_CERT_FILE and TLS_KEY_FILE belong together: set both or neither'];
  if (httpsPort === undefined || tlsCertFile !== undefined) return [];
  if (httpsNames.length === 0)
    return ['CERT_MANAGER_HTTPS_PORT: needs a certificate: set TLS_CERT_FILE and TLS_KEY_FILE'];
  if (dummyCaUrl === undefined)
    return ['CERT_MANAGER_HTTPS_NAMES: needs DUMMY_CA_URL, or set TLS_CERT_FILE and TLS_KEY_FILE'];
  return [];
}
