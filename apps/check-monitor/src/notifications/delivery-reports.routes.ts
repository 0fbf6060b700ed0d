import { AppError, InvalidInput } from '@certloop/contracts';
import { noteRoute, receiveBytes } from '@certloop/server';
import { type NextFunction, type Request, type Response, Router } from 'express';
import { type DeliveryReportsDeps, takeBounce, takeCallback } from './delivery-reports.service.js';

const maxBodyBytes = 2_621_440;

/**
 * Router for those who carry messages on: they say what happened to them. They have no key; the uuid of a delivery is
 * known to whom it was given, and the mailbox of a bounce is signed.
 */
export function deliveryReportsRouter(deps: DeliveryReportsDeps): Router {
  const router = Router({ caseSensitive: true });
  const callbacks = router.route('/notifications/:uuid/status');
  callbacks.all(named('/notifications/{uuid}/status'));
  callbacks.post(async (request: Request, response: Response) => {
    await takeCallback(deps, String(request.params['uuid']), await receiveForm(request, response));
    response.type('html').send('');
  });
  callbacks.all(refuseMethod);
  router.all('/bounces', named('/bounces/'), async (request: Request, response: Response) => {
    const said = await takeBounce(deps, await receive(request, response));
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

async function receiveForm(request: Request, response: Response): Promise<URLSearchParams> {
  const body = await receive(request, response);
  const isForm = request.is('application/x-www-form-urlencoded') !== false;
  return new URLSearchParams(isForm ? body.toString('utf8') : '');
}

async function receive(request: Request, response: Response): Promise<Buffer> {
  try {
    return Buffer.from(await receiveBytes(request, response, maxBodyBytes));
  } catch (cause) {
    const { type } = cause as { readonly type?: string };
    throw type === 'entity.too.large' ? new InvalidInput('the body is too large', { cause }) : cause;
  }
}

function refuseMethod({ method }: Request, _response: Response, next: NextFunction): void {
  next(new AppError('method_not_allowed', `${method} is not allowed here`, { headers: { Allow: 'POST' } }));
}
