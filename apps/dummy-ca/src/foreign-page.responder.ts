import type { RequestListener } from 'node:http';
import { dropBody, sendText } from '@certloop/server';
import { isFromOtherSite } from './foreign-page.js';
import { errorText } from './signing/error-body.js';

const message = 'the request came from a page of another site';

/** Refuses requests of pages of other sites with 403, since the API serves all who reach it; passes on all others. */
export function refuseOtherSites(publicUrl: string | undefined, serve: RequestListener): RequestListener {
  const ownName = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return (request, response) => {
    const { method = '', headers } = request;
    const fetchSite = headers['sec-fetch-site'];
    const page = {
      method,
      host: headers.host,
      origin: headers.origin,
      fetchSite: Array.isArray(fetchSite) ? fetchSite[0] : fetchSite,
    };
    if (!isFromOtherSite(page, ownName)) return serve(request, response);
    const { contentType, body } = errorText(request.url?.split('?')[0] ?? '', message);
    dropBody(request);
    sendText(response, 403, { 'Content-Type': contentType }, body);
  };
}
