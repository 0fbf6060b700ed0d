import { percentEncode } from '../../percent-encoding.js';
import { type DeliveryResult, refusedForGood } from '../delivery-result.js';
import { type HttpAnswer, jsonAnswer, jsonPost } from '../http-message.js';
import type { SendHttp } from '../http-sender.client.js';
import type { Integration } from '../integration.js';
import { matrixMessage } from './matrix-message.js';
import type { MatrixSettings } from './matrix-settings.js';

export interface MatrixAccount {
  readonly homeserverUrl: string;
  readonly accessToken: string;
}

export interface MatrixDeps {
  readonly send: SendHttp;
  /** Account of this service; undefined when it has none. */
  readonly account: MatrixAccount | undefined;
}

/** A room of Matrix. The delivery is the transaction: a repeated one appears once. */
export function createMatrix({ send, account }: MatrixDeps): Integration<MatrixSettings> {
  const { homeserverUrl, accessToken } = account ?? { homeserverUrl: '', accessToken: '' };
  return {
    kind: 'matrix',
    ...(account === undefined ? { missing: 'CHECK_MONITOR_MATRIX_HOMESERVER and its access token' } : {}),
    tells: () => true,
    deliver: ({ settings, event, view, isTest }) => {
      const room = percentEncode(settings.roomId);
      const url = `${homeserverUrl}/_matrix/client/v3/rooms/${room}/send/m.room.message/${event.deliveryId}`;
      const message = jsonPost(url, matrixMessage(view), { Authorization: `Bearer ${accessToken}` });
      return send({ ...message, method: 'PUT' }, { isOnce: isTest, judge: judgeAnswer });
    },
  };
}

/** The account was put out of the room. */
function judgeAnswer(answer: HttpAnswer): DeliveryResult | undefined {
  const isOut = answer.status === 403 && jsonAnswer(answer)['errcode'] === 'M_FORBIDDEN';
  return isOut ? refusedForGood('Received status code 403: not in the room') : undefined;
}
