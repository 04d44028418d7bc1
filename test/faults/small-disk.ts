import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A disk that a test can fill while a server works on it. */
export interface SmallDisk {
  readonly what: string
  /** Whether it is a file system of its own. */
  readonly mounts: boolean
  /** How a command must be started for `folder` to lie on it. */
  readonly within: (folder: string) => (command: readonly string[]) => readonly string[]
  /** `folder` as everybody sees it, of a process that was started so. */
  readonly seenFrom: (pid: number, folder: string) => string
  /** Leaves room for no file of more bytes in the process's `folder`; Infinity for all there ever was. */
  readonly leave: (pid: number, folder: string, bytes: number) => void
  /** Lets no file in it grow. */
  readonly fill: (pid: number, folder: string) => void
}

const SIZE = '24m'
/** What lies on it to take up the room. */
export const FILLER = 'filler-of-the-test'

const NAMESPACES: readonly (readonly string[])[] = [
  ['unshare', '--mount', '--propagation', 'private'],
  ['unshare', '--mount', '--propagation', 'private', '--map-root-user'],
]

/** Mounts a file system in a mount namespace of its own, so that nothing is left of it afterwards. */
function mounted(unshare: readonly string[]): SmallDisk {
  const mount = `mount -t tmpfs -o size=${SIZE},mode=0755 tmpfs "$1" && shift && exec "$@"`
  const seenFrom = (pid: number, folder: string): string => `/proc/${pid}/root${folder}`
  return {
    what: 'a disk of its own',
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
    // The server has taken some of it meanwhile: what was left is taken all the same.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

/** No file may grow beyond a size: what is written to it then fails with EFBIG. */
const LIMITED: SmallDisk = {
  what: 'a limit of how large files may be',
  mounts: false,
  within: () => (command) => command,
  seenFrom: (_, folder) => folder,
  leave: (pid, _, bytes) => limitFiles(pid, bytes),
  // What grew between the two would have room beyond the limit, which no full disk takes back.
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

/** Each thread of a process: one that writes is stopped once that write has ended. */
function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T ')
    } catch {
      return true // it has ended
    }
  })
}

/** Limits a process and those that it has started: pictures are made in processes of their own. */
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
  // Uploads come and go while the names are looked at.
  const sizeOf = (name: string): number =>
    statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return Math.max(0, ...names.map(sizeOf))
}

/** What this machine lets a test do; none where it is neither Linux nor lets anything be limited. */
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
