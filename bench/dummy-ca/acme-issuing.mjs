// Issuances by dummy-ca's own ACME, from newOrder over http-01 to the download.
import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { generateKeyPair, keyAuthorization } from '../../packages/crypto/dist/src/index.js';
import { countIssued, openAcmeClient } from '../measuring/acme-load.mjs';
import { cpuSeconds } from '../measuring/cpu-time.mjs';
import { startService } from '../services.mjs';

/** What so many clients get of a dummy-ca of their own: { perSecond, cpuMs }, of the server's CPU for each. */
export async function measureOwnAcme({ seconds, count }) {
  const answers = new Map();
  const web = createServer((asked, response) => response.end(answers.get(asked.url.split('/').at(-1))));
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  const service = await startService('dummy-ca', {
    DUMMY_CA_HTTP01_PORT: String(web.address().port),
    DUMMY_CA_RESOLVE_TO: '127.0.0.1',
  });
  const agent = new Agent({ keepAlive: true });
  try {
    const keys = await generateKeyPair('P-256');
    const { privateKey: leafKey } = await generateKeyPair('P-256');
    const open = () => openAcmeClient({ base: service.url, agent, keys });
    const clients = await Promise.all(Array.from({ length: count }, open));
    const load = { clients, leafKey, prove: (asked) => proveByHttp(answers, asked) };
    await countIssued({ ...load, seconds: 2, nameOf: (place, n) => `n${n}.warm${place}.test` });
    const before = cpuSeconds(service.pid);
    const issued = await countIssued({ ...load, seconds, nameOf: (place, n) => `n${n}.client${place}.test` });
    const cpuMs = ((cpuSeconds(service.pid) - before) * 1000) / issued;
    return { perSecond: issued / seconds, cpuMs };
  } finally {
    agent.destroy();
    web.close();
    await service.stop();
  }
}

async function proveByHttp(answers, { post, jwk, authorization }) {
  const { token, url } = authorization.challenges.find(({ type }) => type === 'http-01');
  answers.set(token, keyAuthorization(token, jwk));
  for (let { body } = await post(url, {}); body.status === 'processing'; ) ({ body } = await post(url));
  answers.delete(token);
}
