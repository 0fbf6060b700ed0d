// Signing: POST …/csr/sign, from the caller over the manager to the dummy CA, stored with its audit entry.

import { underLoad } from '../measuring/measure.mjs';
import { copyId } from '../multiply.mjs';
import { asAdministrator } from './manager-place.mjs';
import { seedCertificates, seedOwnCsrs } from './manager-seed.mjs';

const kind = '0000000a';
const count = 1000;

export async function measureSigning(place, { seconds }) {
  const { spaceId } = await seedCertificates(place, { kind, count: count + 1 });
  await seedOwnCsrs(place, { kind, count });
  const { url, headers } = asAdministrator(place, '');
  const requests = Array.from({ length: count }, (_, n) => ({
    path: `/spaces/${spaceId}/fqdns/${copyId(kind, n + 1)}/csr/sign`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ providerId: place.providerId }),
  }));
  const what = 'sign through the dummy CA';
  return [
    await underLoad({ what, target: '300/s', pid: place.manager.pid, load: { url, requests }, seconds }),
  ];
}
