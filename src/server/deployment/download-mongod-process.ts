// A process of its own: a download of mongodb-memory-server cannot be stopped, this one can.
import { MongoBinary } from 'mongodb-memory-server-core'

/** Messages of the process to its parent. */
export type DownloadOutcome = { readonly path: string } | { readonly why: string }

async function download(): Promise<DownloadOutcome> {
  try {
    return { path: await MongoBinary.getPath({}) }
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}

process.on('disconnect', () => process.exit(1)) // the parent is gone, or has given up
process.send?.(await download(), () => process.exit())
