import type { Target } from '@certloop/contracts';
import type { TargetSettings } from './target.js';

type Row = TargetSettings &
  Pick<Target, 'id' | 'fqdnId' | 'spaceId' | 'source'> & {
    readonly adopt: boolean | null;
    readonly createdAt: Date;
  };

export function targetView(row: Row): Target {
  return {
    id: row.id,
    fqdnId: row.fqdnId,
    spaceId: row.spaceId,
    host: row.host,
    port: row.port,
    protocol: row.protocol,
    sni: row.sni,
    ...(row.addresses !== null && { addresses: [...row.addresses] }),
    mode: row.mode,
    everySeconds: row.everySeconds,
    graceSeconds: row.graceSeconds,
    enabled: row.enabled,
    source: row.source,
    ...(row.adopt === true && { adopt: true }),
    createdAt: row.createdAt.toISOString(),
  };
}
