/** The parts of Web Locks that are used; React Native and older browsers have none. */
interface Locks {
  request(
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<void>,
  ): Promise<void>
}

/** Runs while no other tab does, where tabs can agree on it; without Web Locks each runs, and the storage keeps them apart. */
export async function whileLeading(
  name: string | null,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const { locks } = (globalThis as { navigator?: { readonly locks?: Locks } }).navigator ?? {}
  if (name === null || locks === undefined) return work()
  await locks.request(`quire ${name}`, { signal }, work).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

export interface Neighbours<Message> {
  tell(message: Message): void
  close(): void
}

/** The other tabs with the same storage; none where tabs cannot communicate. */
export function openNeighbours<Message>(
  name: string | null,
  onMessage: (message: Message) => void,
): Neighbours<Message> {
  if (name === null || typeof BroadcastChannel === 'undefined') {
    return { tell: () => undefined, close: () => undefined }
  }
  const channel = new BroadcastChannel(`quire ${name}`)
  channel.addEventListener('message', ({ data }) => onMessage(data as Message))
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
    tell: (message) => channel.postMessage(message),
    close: () => channel.close(),
  }
}
