import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Answer, type Received, runCertloop, serve } from '../../certloop.fixture.js';

const id = '00000000-0000-4000-8000-000000000001';
const directoryUrl = 'https://certs.example.org/acme/directory';
const rootPem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const [kid, hmacKey] = ['kid-1', '-c2Vj_cmV0'];

/** A cert-manager with one space and one provider, which creates what it is asked for. */
function answerTo({ method, path, body }: Received): Answer {
  const createdAt = '2026-11-01T00:00:00.000Z';
  if (path === '/spaces') return { status: 200, body: [{ id, name: 'Shop', description: '', createdAt }] };
  if (path === '/providers') return { status: 200, body: [{ id, name: 'dummy-ca', kind: 'dummy-ca' }] };
  if (path !== `/spaces/${id}/acme-clients`) return { status: 404, body: { message: `no ${path}` } };
  if (method === 'GET') return { status: 200, body: [] };
  const created = { ...(body as object), id, spaceId: id, kid, hmacKey, directoryUrl, warnings: [] };
  return { status: 201, body: created };
}

let service: Awaited<ReturnType<typeof serve>>;
beforeEach(async () => {
  service = await serve(answerTo);
});
afterEach(() => service.close());

test('the command of the page for Kubernetes writes manifests that refer to each other', async () => {
  const page = readFileSync(new URL('../../../../../../docs/acme-kubernetes.md', import.meta.url), 'utf8');
  const command = /^ *certloop (.*) > issuer\.yaml$/m.exec(page)?.[1] ?? '';
  const { out, err } = await runCertloop(command.split(' '), {
    env: { CERTLOOP_URL: service.url, CERTLOOP_TOKEN: 'token' },
    io: { readText: async (path) => (path === 'root.pem' ? rootPem : '') },
  });
  expect(err).toBe('');
  const documents = parseAllDocuments(out);
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const [secret, issuer, certificate, ...others] = documents.map((document) => document.toJS());
  expect(others).toEqual([]);
  const [name, inManager] = ['certloop-k8s', 'cert-manager.io/v1'];
  expect(secret).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${name}-eab`, namespace: 'cert-manager' },
    stringData: { hmac: hmacKey },
  });
  expect(issuer).toEqual({
    apiVersion: inManager,
    kind: 'ClusterIssuer',
    metadata: { name },
    spec: {
      acme: {
        server: directoryUrl,
        caBundle: Buffer.from(rootPem).toString('base64'),
        externalAccountBinding: { keyID: kid, keySecretRef: { name: secret.metadata.name, key: 'hmac' } },
        privateKeySecretRef: { name: `${name}-account` },
        solvers: [{ http01: { ingress: {} } }],
      },
    },
  });
  expect(certificate).toMatchObject({
    apiVersion: inManager,
    kind: 'Certificate',
    spec: {
      secretName: `${name}-tls`,
      dnsNames: [expect.stringMatching(/\bapps\.example\.test$/)],
      issuerRef: { kind: issuer.kind, name: issuer.metadata.name },
    },
  });
  for (const text of [`clusterissuer/${name}\n`, `cert-manager.io/cluster-issuer: ${name}\n`])
    expect(page).toContain(text);
});
