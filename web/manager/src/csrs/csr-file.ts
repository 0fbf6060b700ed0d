import type { UploadedFile } from '@certloop/contracts/browser';
import { holdsPrivateKey } from '@certloop/web-kit';

// the service refuses more
const maxBytes = 65_536;

/** Content of a chosen file. Throws for a private key and for what is too large, with the sentence for the user. */
export async function readCsrFile(file: File): Promise<UploadedFile> {
  if (file.size > maxBytes) throw new Error('This file is too large for a CSR. A CSR has a few kilobytes.');
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (holdsPrivateKey(bytes)) {
    throw new Error(
      'That is your private key. It stays with you: nothing was sent. Choose the file that ends in .csr.',
    );
  }
  return { name: file.name, contentType: 'application/octet-stream', bytes };
}

/** The upload of a CSR for a name. */
export function csrUpload(
  fqdn: { readonly id: string; readonly spaceId: string; readonly fqdn: string },
  file: UploadedFile,
) {
  return {
    params: { spaceId: fqdn.spaceId, fqdnId: fqdn.id },
    body: { file, fields: { spaceId: fqdn.spaceId, fqdn: fqdn.fqdn } },
  };
}
