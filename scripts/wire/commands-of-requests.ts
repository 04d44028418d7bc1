import { BSON, type Document } from 'mongodb'
import { messageReader } from './wire-messages.ts'

/** They keep a connection up. */
const UPKEEP: ReadonlySet<string> = new Set([
  'hello',
  'ismaster',
  'isMaster',
  'ping',
  'endSessions',
])
/** Read and written once in a while, on behalf of no request. */
const BACKGROUND: ReadonlySet<unknown> = new Set([
  'quire_deliveries',
  'quire_heads',
  'quire_held_jobs',
  'quire_processes',
  'quire_schedules',
  'quire_stamps',
  'quire_webhooks',
])
const LOG = 'quire_commits'
const LEASES = 'quire_leases'

/**
 * Tells the commands of requests from those that keep up the connection and what the process holds. Of the commit log a
 * request costs the insert alone: its commits are numbered in the background.
 */
export function commandsOfRequests(): (command: Document) => boolean {
  /** Sessions of transactions that read what is pending, and nothing else. */
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
    return !UPKEEP.has(name) && !isBackground(name, command)
  }
}

/** Reads the wire protocol as it passes, and reports the name of each command of a request. */
export function commandCounter(report: (name: string) => void): (chunk: Buffer) => void {
  const isOfRequest = commandsOfRequests()
  return messageReader(({ body }) => {
    if (body === null || !isOfRequest(body)) return
    const [name = ''] = Object.keys(body)
    report(name)
  })
}
