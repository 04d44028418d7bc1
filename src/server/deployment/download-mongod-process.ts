// A download of mongodb-memory-server cannot be aborted, but its process can.
import { MongoBinary } from 'mongodb-memory-server'

export type DownloadOutcome = { readonly path: string } | { readonly why: string }

async function download(): Promise<DownloadOutcome> {
  try {
    return { path: await MongoBinary.getPath({}) }
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}

process.on('disconnect', () => process.exit(1)) // the parent has exited or given up
process.send?.(await download(), () => process.exit())
