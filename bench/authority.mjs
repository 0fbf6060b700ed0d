// Suite `ca`: signing by the dummy CA.
import { makeCsr } from '../packages/e2e/dist/src/main-job.js';
import { underLoad } from './measure.mjs';
import { startService } from './services.mjs';

export const authority = {
  name: 'ca',
  async run({ seconds }) {
    const ca = await startService('dummy-ca');
    try {
      return [await signing(ca, seconds)];
    } finally {
      await ca.stop();
    }
  },
};

async function signing({ url, pid }, seconds) {
  const csr = Buffer.from(await makeCsr('bench.example.test')).toString('base64');
  const load = {
    url: `${url}/csr`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ csr, action: 'sign', validity_days: 365 }),
  };
  return underLoad({ what: 'dummy-ca POST /csr, P-256', pid, load, seconds });
}
