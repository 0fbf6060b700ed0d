import { percentEncode } from '../../../percent-encoding.js';
import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import type { Integration } from '../../integration.js';
import type { MatrixSettings } from './matrix-kind.js';
import { matrixMessage, matrixNotice } from './matrix-message.js';

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
  const post = ({ roomId }: MatrixSettings, deliveryId: string, content: object) => {
    const room = percentEncode(roomId);
    const url = `${homeserverUrl}/_matrix/client/v3/rooms/${room}/send/m.room.message/${deliveryId}`;
    const message = jsonPost(url, content, { Authorization: `Bearer ${accessToken}` });
    return send({ ...message, method: 'PUT' });
  };
  return {
    ...(account === undefined ? { missing: 'CHECK_MONITOR_MATRIX_HOMESERVER and its access token' } : {}),
    shouldNotify: () => true,
    deliver: ({ settings, event, view }) => post(settings, event.deliveryId, matrixMessage(view)),
    notify: ({ settings, notice, deliveryId }) => post(settings, deliveryId, matrixNotice(notice)),
  };
}

export const matrixIntegration: CreateIntegration<MatrixSettings> = ({
  sendToService: send,
  senderAccounts,
}) => createMatrix({ send, account: senderAccounts.matrix });
