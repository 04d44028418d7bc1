const turns = new WeakMap<object, Map<string, Promise<unknown>>>()

/** Runs calls with the same owner and name in sequence. Other processes are not synchronized. */
export async function takeTurn<T>(owner: object, name: string, work: () => Promise<T>): Promise<T> {
  const last = turns.get(owner) ?? new Map<string, Promise<unknown>>()
  turns.set(owner, last)
  const own = (last.get(name) ?? Promise.resolve()).then(work)
  const settled = own.catch(() => null)
  last.set(name, settled)
  try {
    return await own
  } finally {
    if (last.get(name) === settled) last.delete(name)
  }
}
