import type { Metrics } from '@certloop/server';
import type { CountOrder } from '../front/count-order.js';

// more labels would be too many for who stores the metrics
const maxClients = 50;

/** Counts the orders of ACME clients by how they went. */
export function createOrderCounter(metrics: Metrics): CountOrder {
  const count = metrics.counter({
    name: 'cert_manager_acme_client_orders_total',
    help: 'Orders of ACME clients by how they went; clients beyond the first 50 are counted as other',
    labels: ['client', 'outcome'],
  });
  const known = new Set<string>();
  return (client, outcome) => {
    if (known.size < maxClients) known.add(client);
    count({ client: known.has(client) ? client : 'other', outcome });
  };
}
