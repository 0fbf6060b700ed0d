/** Makes one memory for each key, and returns it whenever the key is used again. */
export function createMemories<T>(create: () => T): (key: string) => T {
  const memories = new Map<string, T>();
  return (key) => {
    const memory = memories.get(key) ?? create();
    memories.set(key, memory);
    return memory;
  };
}
