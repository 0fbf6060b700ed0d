import { ok, type SomeHandlers } from '../../http/handlers.js';
import { type ExportInventoryDeps, exportInventory } from './export-inventory.service.js';
import { type ShowInventoryDeps, showInventory } from './show-inventory.service.js';

export function inventoryHandlers(deps: ShowInventoryDeps & ExportInventoryDeps) {
  return {
    getInventory: async ({ query, context }) => ok(await showInventory(deps, context, query)),
    exportInventory: async ({ query, context }) => ({
      status: 200,
      body: exportInventory(deps, context, query),
      headers: {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="inventory.csv"',
      },
    }),
  } satisfies SomeHandlers;
}
