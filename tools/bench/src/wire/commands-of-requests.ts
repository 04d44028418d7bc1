import { BSON, type Document } from 'mongodb'
import { createMessageReader } from './wire-messages.ts'

/** Commands that keep connections alive. */
const UPKEEP: ReadonlySet<string> = new Set([
  'hello',
  'ismaster',
  'isMaster',
  'ping',
  'endSessions',
])
/** Collections that background work reads and writes. */
const BACKGROUND: ReadonlySet<unknown> = new Set([
  'quire_deliveries',
  'quire_heads',
  'quire_held_jobs',
  'quire_processes',
  'quire_schedules',
  'quire_stamps',
  'quire_user_content',
  'quire_webhooks',
])
const LOG = 'quire_commits'
const LEASES = 'quire_leases'

/** Excludes upkeep of connections. */
export function isWork(command: Document): boolean {
  const [name = ''] = Object.keys(command)
  return !UPKEEP.has(name)
}

/**
 * Distinguishes the commands of requests from those of connections and background work. Of the
 * commit log, only the insert belongs to a request, because commits are numbered in the background.
 */
export function createRequestFilter(): (command: Document) => boolean {
  /** Sessions of transactions that only read pending rows of the commit log. */
  const reading = new Set<string>()
  const isBackground = (name: string, command: Document): boolean => {
    const collection: unknown = command[name]
    const isLog = collection === LOG && name !== 'insert'
    if (BACKGROUND.has(collection)) return true
    if (command['autocommit'] !== false) return isLog || collection === LEASES
    const session = BSON.EJSON.stringify(command['lsid'])
    if (isLog) reading.add(session)
    return isLog || reading.delete(session)
  }
  return (command) => {
    const [name = ''] = Object.keys(command)
    return isWork(command) && !isBackground(name, command)
  }
}

/** Parses the wire protocol and reports the name of each command of a request. */
export function createCommandCounter(report: (name: string) => void): (chunk: Buffer) => void {
  const isOfRequest = createRequestFilter()
  return createMessageReader(({ body }) => {
    if (body === null || !isOfRequest(body)) return
    const [name = ''] = Object.keys(body)
    report(name)
  })
}
