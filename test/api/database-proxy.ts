import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { commandCounter } from '../../scripts/wire/commands-of-requests.ts'
import { targetOf } from '../../scripts/wire/relay.ts'

/** How what goes through goes through, in both directions. */
export interface Line {
  /** Of each piece. */
  readonly latencyMs: number
  /** Added to it by chance, up to so much. */
  readonly jitterMs: number
  /** What comes at once is passed on in pieces of so many bytes. */
  readonly pieceBytes: number
}

const GOOD: Line = { latencyMs: 0, jitterMs: 0, pieceBytes: Infinity }

/** A database behind a door of the test's: it counts what goes through, and can be shut. */
export interface DatabaseProxy {
  readonly uri: string
  /** The names of the commands since the last call, those that keep the connection up left out. */
  takeCommands(): readonly string[]
  /** Breaks every connection, and refuses new ones. */
  shut(): void
  /** Breaks every connection, or so many of them, chosen by chance; new ones are let through. */
  cut(count?: number): void
  /** Breaks each connection in the middle of the next message from the given side. */
  cutInMessage(from: 'client' | 'database'): void
  /** Shuts in the middle of the reply to the next command of this name: it is carried out all the same. */
  shutAtReplyTo(command: string): void
  /** Lets nothing through any more, in either direction, and breaks no connection. */
  stall(): void
  /** Lets go on what was stalled. */
  resume(): void
  /** Everything that goes through from now on; nothing is said of it: fast and in one piece. */
  behave(line?: Partial<Line>): void
  /** Lets through what is new; what was stalled is broken. */
  open(): void
  close(): Promise<void>
}

/** The two ends of one connection. */
interface Pair {
  readonly client: Socket
  readonly database: Socket
  cutAt: 'client' | 'database' | null
}

interface Gate {
  readonly opened: Promise<void>
  readonly open: () => void
}

/** Stands between a server and the database of `uri`, on a free port. */
export async function openDatabaseProxy(uri: string): Promise<DatabaseProxy> {
  const target = targetOf(uri)
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
    const count = from === 'client' ? commandCounter((name) => note(pair, name)) : null
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
      pass(pair, from).catch(() => destroy(pair)) // what ends a connection ends both of its sides
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
