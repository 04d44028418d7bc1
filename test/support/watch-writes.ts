import { BSON, type Document } from 'mongodb'
import type { ObservedCommand } from '../../src/base/observed.ts'
import { isWhole, singleFilters, WRITE_COMMANDS } from '../faults/mongod-answers.ts'

const ENDS: ReadonlySet<string> = new Set(['commitTransaction', 'abortTransaction'])
/** Every process, or every request of a kind, writes to the documents of these collections. */
const SHARED: ReadonlySet<string> = new Set([
  'quire_counters',
  'quire_heads',
  'quire_leases',
  'quire_processes',
  'quire_stamps',
])
/** The lock of a single type without a version. Only the writers of that type wait for it. */
const LOCK_OF_ONE = /^lock:/

/**
 * Reports writes that mongos before 7.0 refuses, and writes that block all other processes if this
 * one is killed: one line per command.
 */
export interface WatchedWrites {
  observe(command: ObservedCommand): void
  faults(): readonly string[]
}

export function watchWrites(): WatchedWrites {
  const faults: string[] = []
  const report = (fault: string, command: Document): void => {
    faults.push(`${fault}: ${BSON.EJSON.stringify(command)}`)
  }
  /** By transaction: a write to a shared document. Only the end of the transaction may follow. */
  const open = new Map<string, Document>()
  return {
    observe: ({ name, command }) => {
      const transaction = transactionOf(command)
      const before = transaction === null ? undefined : open.get(transaction)
      if (before !== undefined && transaction !== null) {
        open.delete(transaction)
        if (!ENDS.has(name)) report('what all share stays locked beyond the next command', before)
      }
      if (!WRITE_COMMANDS.has(name)) return
      if (singleFilters(command).some((filter) => !isWhole(filter['_id']))) {
        report('a single write without the whole _id', command)
      }
      if (transaction !== null && isShared(name, command)) open.set(transaction, command)
    },
    faults: () => faults,
  }
}

/** Null outside of a transaction. */
function transactionOf(command: Document): string | null {
  if (command['autocommit'] !== false) return null
  return `${command['lsid']?.id?.toString('hex')}:${String(command['txnNumber'])}`
}

function isShared(name: string, command: Document): boolean {
  if (!SHARED.has(String(command[name]))) return false
  const ids = singleFilters(command).map((filter) => String(filter['_id']))
  return ids.length === 0 || !ids.every((id) => LOCK_OF_ONE.test(id))
}
