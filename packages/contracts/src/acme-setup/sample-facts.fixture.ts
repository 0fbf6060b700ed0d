import type { SetupFacts } from './setup-facts.js';

export const sampleFacts: SetupFacts = {
  directoryUrl: 'https://certs.example.com/acme/directory',
  kid: 'kid-1',
  hmacKey: 'c2Vj_cmV0',
  clientName: 'Web 7',
  names: ['www.example.com', 'example.com'],
  rootFile: '/etc/ssl/root.pem',
  rootPem: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
  reload: 'systemctl reload nginx',
};
