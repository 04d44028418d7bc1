/** The used part of Web Locks. React Native and older browsers lack it. */
interface Locks {
  request(
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<void>,
  ): Promise<void>
}

/** Without Web Locks it runs in every tab, and the storage resolves conflicts. */
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
