import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

/** Security headers; without TLS, Strict-Transport-Security is omitted. */
export function securityHeaders(isSecure: boolean) {
  return helmet({
    strictTransportSecurity: isSecure,
    contentSecurityPolicy: isSecure ? true : { directives: { upgradeInsecureRequests: null } },
  });
}

/** Headers of every response: the version of the API, and that no cache may store it. */
export function answerHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('API-Version', '2.0.0');
  response.setHeader('Cache-Control', 'no-store');
  next();
}
