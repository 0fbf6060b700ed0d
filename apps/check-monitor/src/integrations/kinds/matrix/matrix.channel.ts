import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import { percentEncode } from '../../links/percent-encoding.js';
import type { MatrixSettings } from './matrix-kind.js';
import { matrixMessage, matrixNotice } from './matrix-message.js';

/** A room of Matrix. The delivery is the transaction: a repeated one appears once. */
export const matrixIntegration: CreateIntegration<MatrixSettings> = ({
  sendToService: send,
  senderAccounts: { matrix: account },
}) => {
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
};
