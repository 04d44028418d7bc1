import fs from 'node:fs'
import { createRequire } from 'node:module'
import type { RootDatabase } from 'lmdb'
import { ROOT } from './bundle.ts'

/** The disk of the engine. */
export interface FaultyDisk {
  /** The file cannot grow. */
  isFull: boolean
  /** The next commits fail in their sync. */
  failingSyncs: number
  /** Replaces `node:fs` and `lmdb` in the engine. */
  readonly replaced: Readonly<Record<string, object>>
  /** Closes the files of engines that were killed. Call it outside of a simulation. */
  close(): Promise<void>
}

export function openFaultyDisk(): FaultyDisk {
  const real: unknown = createRequire(`${ROOT}packages/engine/package.json`)('lmdb')
  if (!isLmdb(real)) throw new Error('lmdb has no function open')
  const roots: RootDatabase[] = []
  const snapshots: { done(): void }[] = []
  const disk: FaultyDisk = {
    isFull: false,
    failingSyncs: 0,
    replaced: {
      fs: { ...fs, writeSync: (...args: Parameters<typeof fs.writeSync>) => write(disk, args) },
      lmdb: {
        ...real,
        open: (options: object) => {
          const root = real.open(options)
          roots.push(root)
          watchRoot(root, disk, snapshots)
          return root
        },
      },
    },
    close: async () => {
      for (const snapshot of snapshots.splice(0)) ignoreErrors(() => snapshot.done())
      for (const root of roots.splice(0)) await root.close().catch(() => undefined)
    },
  }
  return disk
}

interface Lmdb {
  open(options: object): RootDatabase
}

function isLmdb(value: unknown): value is Lmdb {
  return typeof value === 'object' && value !== null && 'open' in value
}

function fault(code: 'ENOSPC' | 'EIO'): Error {
  return Object.assign(new Error(`${code}: simulated`), { code })
}

/** A write of one byte does not make the file longer. */
function write(disk: FaultyDisk, args: Parameters<typeof fs.writeSync>): number {
  if (disk.isFull && Buffer.byteLength(args[1]) > 1) throw fault('ENOSPC')
  return Reflect.apply(fs.writeSync, fs, args)
}

/** A failed sync undoes the transaction. */
function watchRoot(root: RootDatabase, disk: FaultyDisk, snapshots: { done(): void }[]): void {
  const commit = root.transactionSync.bind(root)
  const failing = <T>(action: () => T): T =>
    commit(() => {
      const result = action()
      if (disk.failingSyncs > 0) {
        disk.failingSyncs -= 1
        throw fault('EIO')
      }
      return result
    })
  const take = root.useReadTransaction.bind(root)
  const watched = (): ReturnType<typeof take> => {
    const snapshot = take()
    snapshots.push(snapshot)
    return snapshot
  }
  Object.assign(root, { transactionSync: failing, useReadTransaction: watched })
}

function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {
    return
  }
}
