import { UpstreamFailed } from '@certloop/contracts';
import { type RedirectTerms, redirectTarget } from './redirect-rule.js';

interface FollowingOptions extends RedirectTerms {
  /** Subject with which the sentence of a refusal begins, such as `the receiver`. */
  readonly subject: string;
}

/** A fetch that takes addresses, but no Request. */
export type AddressFetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

const maxRedirects = 3;

/**
 * The fetch of all that sends messages: it follows up to three redirects with method, headers and body, as
 * redirect-rule says, each by `call`, which judges the target. Rejects with UpstreamFailed (`redirect_refused`) for one
 * that is not followed.
 */
export function followingFetch(
  call: AddressFetch,
  { subject, mayLeaveOrigin }: FollowingOptions,
): AddressFetch {
  const refuse = (reason: string): never => {
    throw new UpstreamFailed(`${subject} ${reason}`, { code: 'redirect_refused' });
  };
  return async (address, init = {}) => {
    const headers = new Headers(init.headers);
    const { method = 'GET' } = init;
    let url = new URL(address);
    for (let count = 0; ; count += 1) {
      const answer = await call(url, { ...init, redirect: 'manual' });
      const { status } = answer;
      const target = redirectTarget(
        { method, url, headers, status, location: answer.headers.get('location') },
        { mayLeaveOrigin },
      );
      if (target === undefined) return answer;
      if ('refusal' in target) return refuse(target.refusal);
      if (count === maxRedirects) return refuse(`answers with more than ${maxRedirects} redirects`);
      await answer.body?.cancel();
      url = target;
    }
  };
}
