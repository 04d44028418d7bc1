import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createCommandCounter } from '../../tools/bench/src/wire/commands-of-requests.ts'
import { parseTarget } from '../../tools/bench/src/wire/relay.ts'

/** The quality of the connection, in both directions. */
export interface Line {
  /** Delay of each chunk. */
  readonly latencyMs: number
  /** Upper bound of a random extra delay. */
  readonly jitterMs: number
  /** Maximum size of a forwarded chunk. */
  readonly pieceBytes: number
}

const GOOD: Line = { latencyMs: 0, jitterMs: 0, pieceBytes: Infinity }

/** A proxy in front of the database. It records commands and can be shut. */
export interface DatabaseProxy {
  readonly uri: string
  /**
   * Names of the commands since the last call, without the commands that keep the connection alive.
   */
  takeCommands(): readonly string[]
  /** Closes every connection and refuses new ones. */
  shut(): void
  /** Closes every connection, or `count` random ones, and accepts new ones. */
  cut(count?: number): void
  /** Closes each connection in the middle of the next message from the given side. */
  cutInMessage(from: 'client' | 'database'): void
  /**
   * Shuts in the middle of the reply to the next command of this name. The database still executes
   * it.
   */
  shutAtReplyTo(command: string): void
  /** Stops forwarding in both directions without closing a connection. */
  stall(): void
  /** Continues to forward on stalled connections. */
  resume(): void
  /** Sets the quality of the connection from now on. The default is fast and unchunked. */
  behave(line?: Partial<Line>): void
  /** Accepts new connections and closes the stalled ones. */
  open(): void
  close(): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly database: Socket
  cutAt: 'client' | 'database' | null
}

interface Gate {
  readonly opened: Promise<void>
  readonly open: () => void
}

/** Starts a proxy on a free port for the database of `uri`. */
export async function openDatabaseProxy(uri: string): Promise<DatabaseProxy> {
  const target = parseTarget(uri)
  const pairs = new Set<Pair>()
  let commands: string[] = []
  let isOpen = true
  let gate: Gate | null = null
  let line = GOOD
  let last: string | null = null

  const note = (pair: Pair, command: string): void => {
    commands.push(command)
    if (command !== last) return
    last = null
    isOpen = false
    pair.cutAt = 'database'
    for (const other of pairs) if (other !== pair) destroy(other)
  }
  const pass = async (pair: Pair, from: 'client' | 'database'): Promise<void> => {
    const to = from === 'client' ? pair.database : pair.client
    const count = from === 'client' ? createCommandCounter((name) => note(pair, name)) : null
    for await (const chunk of pair[from] as AsyncIterable<Buffer>) {
      if (gate !== null) await gate.opened
      if (pair.cutAt === from) {
        to.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => destroy(pair))
        return
      }
      count?.(chunk)
      await send(to, chunk, () => line)
    }
    to.end()
  }

  const server = createServer((client) => {
    if (!isOpen) {
      client.destroy()
      return
    }
    const pair: Pair = { client, database: connect(target), cutAt: null }
    pairs.add(pair)
    for (const socket of [pair.client, pair.database]) {
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        pairs.delete(pair)
        destroy(pair)
      })
    }
    for (const from of ['client', 'database'] as const) {
      pass(pair, from).catch(() => destroy(pair)) // an error on one side closes both sides
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const resume = (): void => {
    gate?.open()
    gate = null
  }
  const cut = (count = pairs.size): void => {
    const chosen = [...pairs].toSorted(() => Math.random() - 0.5).slice(0, count)
    for (const pair of chosen) destroy(pair)
  }
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=700`,
    takeCommands: () => {
      const taken = commands
      commands = []
      return taken
    },
    shut: () => {
      isOpen = false
      cut()
    },
    cut,
    cutInMessage: (from) => {
      for (const pair of pairs) pair.cutAt = from
    },
    shutAtReplyTo: (command) => {
      last = command
    },
    stall: () => {
      gate ??= newGate()
    },
    resume,
    behave: (wanted = {}) => {
      line = { ...GOOD, ...wanted }
    },
    open: () => {
      if (gate !== null) cut()
      resume()
      isOpen = true
    },
    close: async () => {
      cut()
      resume()
      server.close()
      await once(server, 'close')
    },
  }
}

function destroy({ client, database }: Pair): void {
  client.destroy()
  database.destroy()
}

function newGate(): Gate {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

async function send(to: Socket, chunk: Buffer, lineNow: () => Line): Promise<void> {
  for (let sent = 0; sent < chunk.length;) {
    const { latencyMs, jitterMs, pieceBytes } = lineNow()
    const delayMs = latencyMs + Math.random() * jitterMs
    if (delayMs > 0) await wait(delayMs)
    const piece = chunk.subarray(sent, sent + pieceBytes)
    sent += piece.length
    if (!to.write(piece)) await once(to, 'drain')
  }
}
