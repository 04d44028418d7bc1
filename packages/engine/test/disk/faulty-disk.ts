import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('../../../test/disk/faulty-disk.c', import.meta.url))

/** The variables of a process whose disk fails on request. */
export interface FaultyDisk {
  readonly env: Readonly<Record<string, string>>
  /** The control file. */
  readonly control: string
}

/** Null without Linux or a C compiler. */
export function buildFaultyDisk(folder: string): FaultyDisk | null {
  if (process.platform !== 'linux') return null
  mkdirSync(folder, { recursive: true })
  const library = join(folder, 'faulty-disk.so')
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'])
  if (status !== 0) return null
  const control = join(folder, 'control')
  writeFileSync(control, Buffer.alloc(CONTROL_BYTES))
  return { env: { LD_PRELOAD: library, FAULTY_DISK: control }, control }
}

/** The fields of `struct control`, in the order of the file. */
const FIELDS = ['position', 'times', 'error', 'calls', 'failed'] as const
const FIELD_BYTES = 4
const CONTROL_BYTES = FIELDS.length * FIELD_BYTES

export interface DiskFault {
  readonly name: string
  /** The error number; 0 writes half of the bytes. */
  readonly error: number
  /** How many consecutive calls fail. */
  readonly times: number
}

const EIO = 5
const ENOSPC = 28
const ALL = 1_000_000

export const DISK_FAULTS: readonly DiskFault[] = [
  { name: 'EIO once', error: EIO, times: 1 },
  { name: 'EIO from then on', error: EIO, times: ALL },
  { name: 'ENOSPC from then on', error: ENOSPC, times: ALL },
  { name: 'half of the bytes once', error: 0, times: 1 },
]

/** Makes the call at a position fail in the process that maps the control file. */
export function armDisk(control: string, position: number, { error, times }: DiskFault): void {
  writeControl(control, [0, times, error, 0, 0])
  writeControl(control, [position])
}

/** Returns the number of calls, and of failed ones, since the disk was armed. */
export function disarmDisk(control: string): { readonly calls: number; readonly failed: number } {
  writeControl(control, [0])
  const file = openSync(control, 'r')
  const bytes = Buffer.alloc(CONTROL_BYTES)
  readSync(file, bytes, 0, CONTROL_BYTES, 0)
  closeSync(file)
  const at = (name: (typeof FIELDS)[number]): number =>
    bytes.readInt32LE(FIELDS.indexOf(name) * FIELD_BYTES)
  return { calls: at('calls'), failed: at('failed') }
}

function writeControl(control: string, values: readonly number[]): void {
  const bytes = Buffer.alloc(values.length * FIELD_BYTES)
  for (const [index, value] of values.entries()) bytes.writeInt32LE(value, index * FIELD_BYTES)
  const file = openSync(control, 'r+')
  writeSync(file, bytes, 0, bytes.length, 0)
  closeSync(file)
}
