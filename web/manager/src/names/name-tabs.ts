/** Tabs of the page of a name, in their order; the first one needs no word in the address. */
export const nameTabs = ['certificates', 'csrs', 'requests', 'log'] as const;

export type NameTab = (typeof nameTabs)[number];

/** Parts of the address of a name: the request whose steps are shown, and the tab. */
export interface NameSearch {
  readonly job?: string;
  readonly tab?: NameTab;
}

/** The search of an address, without what no page of a name knows. */
export function nameSearchIn({ job, tab }: Readonly<Record<string, unknown>>): NameSearch {
  const known = nameTabs.find((one) => one === tab);
  return { ...(typeof job === 'string' && { job }), ...(known !== undefined && { tab: known }) };
}
