import { allowOnly, noteRoute, receiveBeginning } from '@certloop/server';
import { type NextFunction, type Request, type Response, Router } from 'express';
import { maxReportBytes } from './bounce.js';
import {
  type DeliveryReportsDeps,
  requireDeliveryId,
  takeBounce,
  takeCallback,
} from './delivery-reports.service.js';

// a carrier sends some hundred bytes
const maxFormBytes = 16_384;
const maxBounceBytes = 2_621_440;

/**
 * Router for those who carry messages on: they say what happened to them. They have no key; the uuid of a delivery is
 * known to whom it was given, and the mailbox of a bounce is signed.
 */
export function deliveryReportsRouter(deps: DeliveryReportsDeps): Router {
  const router = Router({ caseSensitive: true });
  const callbacks = router.route('/notifications/:uuid/status');
  callbacks.all(named('/notifications/{uuid}/status'));
  callbacks.post(async (request: Request, response: Response) => {
    const deliveryId = requireDeliveryId(String(request.params['uuid']));
    await takeCallback(deps, deliveryId, await receiveForm(request));
    response.type('html').send('');
  });
  callbacks.all(allowOnly(['POST']));
  router.all('/bounces', named('/bounces/'), async (request: Request, response: Response) => {
    const limits = { keepBytes: maxReportBytes, maxBytes: maxBounceBytes };
    const said = await takeBounce(deps, await receiveBeginning(request, limits));
    response.type('html').send(said);
  });
  return router;
}

function named(path: string) {
  return (_request: Request, response: Response, next: NextFunction): void => {
    noteRoute(response, path);
    next();
  };
}

async function receiveForm(request: Request): Promise<URLSearchParams> {
  const limits = { keepBytes: maxFormBytes, maxBytes: maxFormBytes };
  const body = await receiveBeginning(request, limits);
  const isForm = request.is('application/x-www-form-urlencoded') !== false;
  return new URLSearchParams(isForm ? body.toString('utf8') : '');
}
