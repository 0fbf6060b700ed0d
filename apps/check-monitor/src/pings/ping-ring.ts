/**
 * The slots that hold the latest pings of a check, `firstSlot` to `firstSlot + slotCount - 1`. They are filled in turn,
 * so that a ping takes the slot of the one that it pushes out.
 */
export interface PingRing {
  readonly firstSlot: number;
  /** Slot of the latest ping. */
  readonly lastSlot: number;
  readonly slotCount: number;
}

/**
 * The ring with one more ping in its `lastSlot`. Its size follows the limit where no ping has to be moved: it grows at
 * the end of a lap, and shrinks when the latest pings fill its first slots; what lies beyond these is then to be
 * deleted.
 */
export function nextPlace({ firstSlot, lastSlot, slotCount }: PingRing, limit: number): PingRing {
  const place = lastSlot + 1 - firstSlot;
  if (place === slotCount && slotCount < limit)
    return { firstSlot, lastSlot: lastSlot + 1, slotCount: limit };
  if (place === slotCount) return { firstSlot, lastSlot: firstSlot, slotCount };
  if (place === limit) return { firstSlot, lastSlot: firstSlot, slotCount: limit };
  return { firstSlot, lastSlot: lastSlot + 1, slotCount };
}

// On PostgreSQL rows that are inserted together lie together, and a page whose rows are those of few checks is cleaned
// by the next ping of each. Were they those of many, all could be updated at once and none cleaned before the next lap.
const stretch = 32;

/** How many slots after the latest ping are made with its own, if it has to be made. */
export function spareSlots({ firstSlot, lastSlot, slotCount }: PingRing): number {
  const place = lastSlot - firstSlot;
  return Math.min(slotCount, place - (place % stretch) + stretch) - 1 - place;
}
