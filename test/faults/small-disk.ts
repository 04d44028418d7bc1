import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A disk that a test can fill while a server works on it. */
export interface SmallDisk {
  readonly label: string
  /** Whether it is a separate file system. */
  readonly mounts: boolean
  /** Wraps a command so that `folder` lies on this disk. */
  readonly within: (folder: string) => (command: readonly string[]) => readonly string[]
  /** The path of `folder` for other processes, given a process that was started like this. */
  readonly seenFrom: (pid: number, folder: string) => string
  /**
   * Leaves room for files of at most this size in the `folder` of the process; Infinity for all the
   * space.
   */
  readonly leave: (pid: number, folder: string, bytes: number) => void
  /** Prevents the files in it from growing. */
  readonly fill: (pid: number, folder: string) => void
}

const SIZE = '24m'
/** The file that takes up the space. */
export const FILLER = 'filler-of-the-test'

const NAMESPACES: readonly (readonly string[])[] = [
  ['unshare', '--mount', '--propagation', 'private'],
  ['unshare', '--mount', '--propagation', 'private', '--map-root-user'],
]

/** Mounts a file system in its own mount namespace, so that no trace of it remains. */
function mounted(unshare: readonly string[]): SmallDisk {
  const mount = `mount -t tmpfs -o size=${SIZE},mode=0755 tmpfs "$1" && shift && exec "$@"`
  const seenFrom = (pid: number, folder: string): string => `/proc/${pid}/root${folder}`
  return {
    label: 'a separate disk',
    mounts: true,
    within: (folder) => (command) => [...unshare, 'sh', '-c', mount, 'sh', folder, ...command],
    seenFrom,
    leave: (pid, folder, bytes) => fillUpTo(seenFrom(pid, folder), bytes),
    fill: (pid, folder) => fillUpTo(seenFrom(pid, folder), 0),
  }
}

function fillUpTo(folder: string, bytes: number): void {
  const filler = path.join(folder, FILLER)
  rmSync(filler, { force: true })
  if (bytes === Infinity) return
  const { bavail, bsize } = statfsSync(folder)
  try {
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - bytes)))
  } catch (error) {
    // The server has used some of the space in the meantime, so the rest is filled.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

/** No file may grow beyond a size: further writes fail with EFBIG. */
const LIMITED: SmallDisk = {
  label: 'a limit of the file size',
  mounts: false,
  within: () => (command) => command,
  seenFrom: (_, folder) => folder,
  leave: (pid, _, bytes) => limitFiles(pid, bytes),
  // A file that grows between the two steps would have room beyond the limit, unlike on a full
  // disk.
  fill: (pid, folder) => whileStopped(pid, () => limitFiles(pid, largestFile(folder))),
}

const STOPS_WITHIN_MS = 10_000

function whileStopped(pid: number, work: () => void): void {
  process.kill(pid, 'SIGSTOP')
  try {
    const deadline = performance.now() + STOPS_WITHIN_MS
    const clock = new Int32Array(new SharedArrayBuffer(4))
    while (!isStopped(pid)) {
      if (performance.now() > deadline) throw new Error(`process ${pid} does not stop`)
      Atomics.wait(clock, 0, 0, 1)
    }
    work()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** Checks every thread of a process: a writing thread stops after its write. */
function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T ')
    } catch {
      return true // the thread has ended
    }
  })
}

/** Limits a process and its children, because pictures are processed in child processes. */
function limitFiles(pid: number, bytes: number): void {
  const limit = bytes === Infinity ? 'unlimited' : String(bytes)
  for (const one of [pid, ...childrenOf(pid)]) {
    const { status, stderr } = prlimit('--pid', String(one), `--fsize=${limit}:unlimited`)
    if (status !== 0 && one === pid) throw new Error(`prlimit: ${stderr}`) // a child may have ended
  }
}

function childrenOf(pid: number): readonly number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  const children = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map(Number)
  return children.flatMap((child) => [child, ...childrenOf(child)])
}

function prlimit(...words: readonly string[]): { status: number | null; stderr: string } {
  return spawnSync('prlimit', words, { encoding: 'utf8' })
}

function largestFile(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  // Uploads appear and disappear while the names are read.
  const sizeOf = (name: string): number =>
    statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return Math.max(0, ...names.map(sizeOf))
}

/**
 * The disks that this machine supports: none outside of Linux, or without permission to limit a
 * process.
 */
export function smallDisks(): readonly SmallDisk[] {
  const trial = ['sh', '-c', 'mount -t tmpfs tmpfs /mnt']
  const unshare = NAMESPACES.find(
    ([file = '', ...words]) => spawnSync(file, [...words, ...trial]).status === 0,
  )
  return [
    ...(unshare === undefined ? [] : [mounted(unshare)]),
    ...(prlimit('--version').status === 0 ? [LIMITED] : []),
  ]
}
