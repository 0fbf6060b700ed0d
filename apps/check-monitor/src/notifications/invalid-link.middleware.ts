import { NotFound } from '@certloop/contracts';
import type { NextFunction, Request, Response } from 'express';
import { invalidPage } from './consent-page.js';

/** Answers links that open nothing with a page, since people read this answer in a browser. */
export function showInvalidLink(siteName: string) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (error instanceof NotFound) response.status(404).send(invalidPage(siteName));
    else next(error);
  };
}
