import { AppError } from '@certloop/contracts';

/**
 * Why the monitor did not do what it was asked: it does not answer or takes no key, so that asking for anything else
 * is useless now; the check is not there, or not this project's; it has no room for another check; or it refuses
 * this one request.
 */
export type MonitorFault = 'away' | 'gone' | 'no_room' | 'refused';

/** The fault of an error by what was asked for. Throws errors that are not answers of the monitor. */
export function faultOf(error: unknown, asked: 'create' | 'other'): MonitorFault {
  if (!(error instanceof AppError)) throw error;
  switch (error.kind) {
    case 'not_found':
      return asked === 'create' ? 'away' : 'gone';
    case 'forbidden':
      return asked === 'create' ? 'no_room' : 'gone';
    case 'invalid_input':
    case 'conflict':
    case 'payload_too_large':
      return 'refused';
    default:
      return 'away';
  }
}
