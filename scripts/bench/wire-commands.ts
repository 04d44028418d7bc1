import type { NetConnectOpts } from 'node:net'
import { BSON } from 'mongodb'

const OP_MSG = 2013
const HEADER_BYTES = 16
const UPKEEP: ReadonlySet<string> = new Set([
  'hello',
  'ismaster',
  'isMaster',
  'ping',
  'endSessions',
])

/** Asked and written once in a while, on behalf of no request: no cost of one. */
const BACKGROUND: ReadonlySet<unknown> = new Set([
  'quire_deliveries',
  'quire_heads',
  'quire_processes',
  'quire_stamps',
  'quire_webhooks',
])
const LOG = 'quire_commits'
const LEASES = 'quire_leases'

/** Of `mongodb://host:port/…`, or a percent-encoded socket's path in the host's place. */
export function targetOf(uri: string): NetConnectOpts {
  const host = decodeURIComponent(/^mongodb:\/\/([^/,?]+)/.exec(uri)?.[1] ?? '')
  if (host.startsWith('/')) return { path: host }
  const [name = '', port = '27017'] = host.split(':')
  return { host: name, port: Number(port) }
}

/**
 * Reads the wire protocol as it passes, and reports each command's name; those that keep the connection, and
 * what the process holds, up to date are left out. https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
 */
export function commandCounter(report: (name: string) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  const background = backgroundWork()
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const message = rest.subarray(0, rest.readInt32LE(0))
      rest = rest.subarray(message.length)
      // After the header: four bytes of flags, one for the kind of the section, the command itself.
      if (message.readInt32LE(12) !== OP_MSG) continue
      const body = message.subarray(HEADER_BYTES + 5)
      const command = BSON.deserialize(body.subarray(0, body.readInt32LE(0)))
      const [name = ''] = Object.keys(command)
      if (!UPKEEP.has(name) && !background.has(name, command)) report(name)
    }
  }
}

/** Knows the commands that number commits, of which a request costs the insert alone. */
function backgroundWork() {
  /** Of transactions that read what is pending, and nothing else. */
  const reading = new Set<string>()
  return {
    has: (name: string, command: BSON.Document): boolean => {
      const collection: unknown = command[name]
      const isLog = collection === LOG && name !== 'insert'
      if (BACKGROUND.has(collection)) return true
      if (command['autocommit'] !== false) return isLog || collection === LEASES
      const session = BSON.EJSON.stringify(command['lsid'])
      if (isLog) reading.add(session)
      return isLog || reading.delete(session)
    },
  }
}
