import { dummyCaContract } from '@certloop/contracts';

/** Body of a refusal as text with its media type. */
export interface ErrorText {
  readonly contentType: string;
  readonly body: string;
}

/** Returns the body of a refusal: `{"error": …}` on the path of CSRs, plain text on all others. */
export function errorText(path: string, message: string): ErrorText {
  if (withoutSlash(path) === dummyCaContract.signCsr.path) {
    return { contentType: 'application/json; charset=utf-8', body: JSON.stringify({ error: message }) };
  }
  return { contentType: 'text/plain; charset=utf-8', body: message };
}

/** A path counts as the same with and without one slash at its end. */
function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
