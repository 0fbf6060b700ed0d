import { NotFound } from '@certloop/contracts';
import { noteRoute } from '@certloop/server';
import type { NextFunction, Request, Response } from 'express';
import { invalidPage } from './consent-page.js';

/**
 * Headers of a page whose address is a key: the address must not be logged, sent on to other pages or stored, and no
 * page may frame it. `path` is what the log shows; `policy` is added to a Content-Security-Policy that allows nothing.
 */
export function guardPage(path: string, policy: string) {
  return (_request: Request, response: Response, next: NextFunction): void => {
    noteRoute(response, path);
    response.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; ${policy}; base-uri 'none'; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
    });
    response.type('html');
    next();
  };
}

/** Answers links that open nothing with a page, since people read this answer in a browser. */
export function showInvalidLink(siteName: string) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (error instanceof NotFound) response.status(404).send(invalidPage(siteName));
    else next(error);
  };
}
