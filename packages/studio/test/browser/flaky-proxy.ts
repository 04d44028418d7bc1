import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy for TCP in front of a server, as a network that cuts and stalls connections. */
export interface FlakyProxy {
  readonly address: string
  /** The number of bytes that browsers have sent. */
  sent(): number
  /** Cuts the connection that brings the number of sent bytes to `bytes`. Resolves after the cut. */
  cutAt(bytes: number): Promise<void>
  /** Carries no more bytes of the connection that sends `text`. Returns a function that cuts it. */
  stallAt(text: string): Promise<() => void>
  /** Cuts each connection that sends `text`, until the returned function is called. */
  cutEach(text: string): () => void
  /** Cuts the connection that sends `text` before the last bytes of its response. Resolves when `text` is sent. */
  cutAnswerTo(text: string): Promise<void>
  close(): Promise<void>
}

interface Connection {
  readonly browser: Socket
  readonly server: Socket
  readonly chunk: Buffer
}

interface Fault {
  readonly meets: (chunk: Buffer) => boolean
  /** In place of sending the chunk. */
  readonly strike: (connection: Connection) => void
}

export async function startProxy(target: string): Promise<FlakyProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  const faults = new Set<Fault>()
  const refused = new Set<string>()
  let sent = 0
  const proxy = createServer((browser) => {
    const server = connect(Number(port), hostname)
    const end = (): void => {
      browser.destroy()
      server.destroy()
    }
    for (const socket of [browser, server]) {
      open.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        open.delete(socket)
        end()
      })
    }
    server.pipe(browser)
    browser.on('data', (chunk) => {
      sent += chunk.length
      if ([...refused].some((text) => chunk.includes(text))) return browser.resetAndDestroy()
      for (const fault of faults) {
        if (!fault.meets(chunk)) continue
        faults.delete(fault)
        return fault.strike({ browser, server, chunk })
      }
      if (server.write(chunk)) return
      browser.pause()
      server.once('drain', () => browser.resume())
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const strikeWhen = (meets: Fault['meets'], strike: Fault['strike']): Promise<Socket> =>
    new Promise((resolve) => {
      const once = (connection: Connection): void => {
        strike(connection)
        resolve(connection.browser)
      }
      faults.add({ meets, strike: once })
    })
  return {
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    sent: () => sent,
    cutAt: async (bytes) => {
      await strikeWhen(
        () => sent >= bytes,
        ({ browser }) => browser.resetAndDestroy(),
      )
    },
    stallAt: async (text) => {
      const stalled = await strikeWhen(
        (chunk) => chunk.includes(text),
        ({ browser }) => browser.pause(),
      )
      return () => stalled.resetAndDestroy()
    },
    cutEach: (text) => {
      refused.add(text)
      return () => refused.delete(text)
    },
    cutAnswerTo: async (text) => {
      await strikeWhen(
        (chunk) => chunk.includes(text),
        ({ browser, server, chunk }) => {
          server.unpipe(browser)
          server.once('data', (answer: Buffer) => browser.end(answer.subarray(0, -5)))
          server.resume()
          server.write(chunk)
        },
      )
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
