// node bench/dummy-ca/acme.mjs: complete issuances by ACME on this machine, from newOrder over http-01 to the download. The
// client's own work (keys, signatures, its web server) is in the rate, and left out of the server's CPU time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  buildCsr,
  exportJwk,
  generateKeyPair,
  keyAuthorization,
  signJws,
} from '../../packages/crypto/dist/src/index.js';
import { cpuSeconds } from '../measuring/cpu-time.mjs';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '8' }, clients: { type: 'string', default: '16' } },
});
const seconds = Number(values.seconds);
const agent = new Agent({ keepAlive: true });
const answers = new Map();

const web = createServer((asked, response) => response.end(answers.get(asked.url.split('/').at(-1))));
web.listen(0, '127.0.0.1');
await once(web, 'listening');

const main = fileURLToPath(new URL('../../apps/dummy-ca/dist/src/main.js', import.meta.url));
const server = spawn(process.execPath, [main], {
  env: {
    PATH: process.env.PATH,
    DUMMY_CA_PORT: '0',
    DUMMY_CA_HTTP01_PORT: String(web.address().port),
    DUMMY_CA_RESOLVE_TO: '127.0.0.1',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const base = await addressOf(server);

/** Address that the service names in its log; the rest of the log is read and dropped. */
function addressOf({ stdout }) {
  return new Promise((resolve) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const { event, url } = JSON.parse(line);
      if (event === 'service.started') resolve(url);
    });
  });
}

function exchange(method, url, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/jose+json' };
    const asked = request(url, { method, agent, headers }, async (response) => {
      const text = (await response.toArray()).join('');
      if (response.statusCode >= 300) return reject(new Error(text));
      const isJson = response.headers['content-type'] === 'application/json';
      return resolve({ headers: response.headers, body: isJson ? JSON.parse(text) : text });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

const { privateKey, publicKey } = await generateKeyPair('P-256');
const { privateKey: leafKey } = await generateKeyPair('P-256');
const jwk = exportJwk(publicKey);
let issued = 0;

async function issueUntil(end, client) {
  let nonce = (await exchange('HEAD', `${base}/acme/new-nonce`)).headers['replay-nonce'];
  let kid;
  const post = async (url, payload) => {
    const header = { nonce, url, ...(kid === undefined ? { jwk } : { kid }) };
    const jws = await signJws(privateKey, header, payload === undefined ? '' : JSON.stringify(payload));
    const answer = await exchange('POST', url, JSON.stringify(jws));
    nonce = answer.headers['replay-nonce'];
    return answer;
  };
  kid = (await post(`${base}/acme/new-account`, {})).headers.location;
  for (let count = 0; Date.now() < end; count += 1) {
    const name = `n${count}.client${client}.test`;
    const { body: order } = await post(`${base}/acme/new-order`, {
      identifiers: [{ type: 'dns', value: name }],
    });
    const { body: authorization } = await post(order.authorizations[0]);
    const { token, url } = authorization.challenges.find(({ type }) => type === 'http-01');
    answers.set(token, keyAuthorization(token, jwk));
    for (let { body } = await post(url, {}); body.status === 'processing'; ) ({ body } = await post(url));
    answers.delete(token);
    const { der } = await buildCsr({ privateKey: leafKey, dnsNames: [name] });
    const { body: done } = await post(order.finalize, { csr: der.toString('base64url') });
    await post(done.certificate);
    issued += 1;
  }
}

async function run(forSeconds) {
  const end = Date.now() + forSeconds * 1000;
  issued = 0;
  await Promise.all(Array.from({ length: Number(values.clients) }, (_, client) => issueUntil(end, client)));
}

await run(2);
const before = cpuSeconds(server.pid);
await run(seconds);
const milliseconds = ((cpuSeconds(server.pid) - before) * 1000) / issued;
process.stdout.write(
  `ACME, http-01: ${(issued / seconds).toFixed(0)} issuances/s, ${milliseconds.toFixed(1)} ms of the server's CPU each\n`,
);
server.kill('SIGTERM');
web.close();
agent.destroy();
