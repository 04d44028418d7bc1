import { createCommandCounter } from './commands-of-requests.ts'
import { openRelay } from './relay.ts'

/** A proxy between a server and its database that counts the commands of requests. */
export interface CommandProxy {
  readonly uri: string
  /** Returns the number since the last call. */
  take(): number
  close(): Promise<void>
}

export async function openCommandProxy(uri: string): Promise<CommandProxy> {
  let commands = 0
  const { port, close } = await openRelay(uri, (inbound, outbound) => {
    inbound.on(
      'data',
      createCommandCounter(() => (commands += 1)),
    )
    inbound.pipe(outbound).pipe(inbound)
  })
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    take: () => {
      const taken = commands
      commands = 0
      return taken
    },
    close,
  }
}
