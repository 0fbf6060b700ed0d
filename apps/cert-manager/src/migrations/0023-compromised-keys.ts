import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const compromised = [
  {
    name: 'ix_certificates_compromised',
    columns: ['spkiSha256'],
    where: "revocation_reason = 'keyCompromise'",
  },
];

/** Keys of certificates that were revoked as compromised are found, of however many certificates. */
export const indexCompromisedKeys: Migration = {
  name: '0023-compromised-keys',
  up: (runner) => addIndexes(runner, 'certificates', compromised),
  down: (runner) => dropIndexes(runner, 'certificates', compromised),
};
