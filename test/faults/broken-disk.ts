import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * A file system on a disk that breaks on request. Later writes fail, at the latest when they are
 * synced.
 */
export interface BrokenDisk {
  /** Wraps a command so that the folder lies on this disk. */
  readonly within: (command: readonly string[]) => readonly string[]
  /** The path of the folder in this process. */
  readonly path: string
  break(): void
  /** A folder with the current content of the disk, as after a power cut. */
  afterPowerCut(): string
  /**
   * Like a restart of the machine: only data that reached the disk remains. No process may use the
   * disk.
   */
  repair(): void
  close(): Promise<void>
}

/**
 * Mounts an ext4 at `$1` on a disk that is smaller than it claims, in a file of `$1.disk` in
 * memory.
 */
const MOUNT = `
  mkdir -p "$1.disk" && mount -t tmpfs -o size=24m tmpfs "$1.disk" &&
  truncate -s 96m "$1.disk/image" && mkfs.ext4 -q "$1.disk/image" &&
  mount -o loop "$1.disk/image" "$1" && echo ready && exec sleep infinity`
const REPAIR = `
  umount "$1" && { e2fsck -fp "$1.disk/image" || test $? -le 2; } && mount -o loop "$1.disk/image" "$1"`
const POWER_CUT = `
  mkdir -p "$1.cut" && cp --sparse=always "$1.disk/image" "$1.disk/copy" &&
  mount -o loop "$1.disk/copy" "$1.cut"`
const UNSHARE = ['--mount', '--propagation', 'private', 'sh', '-c'] as const

/** Whether this machine can create such a disk: it takes Linux, a superuser and a loop device. */
export function hasBreakableDisks(): boolean {
  const trial = `
    mount -t tmpfs tmpfs /mnt && truncate -s 8m /mnt/image && mkfs.ext4 -q /mnt/image &&
    mkdir /mnt/folder && mount -o loop /mnt/image /mnt/folder`
  return spawnSync('unshare', [...UNSHARE, trial]).status === 0
}

export async function openBrokenDisk(folder: string): Promise<BrokenDisk> {
  const holder = spawn('unshare', [...UNSHARE, MOUNT, 'sh', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await isReady(holder)
  const within = (command: readonly string[]): readonly string[] => [
    'nsenter',
    `--mount=/proc/${holder.pid}/ns/mnt`,
    ...command,
  ]
  const run = (script: string): void => {
    const [file = '', ...words] = within(['sh', '-c', script, 'sh', folder])
    const { status, stderr } = spawnSync(file, words, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the disk cannot be mounted: ${stderr}`)
  }
  const root = `/proc/${holder.pid}/root`
  const filler = path.join(`${root}${folder}.disk`, 'filler-of-the-test')
  return {
    within,
    path: `${root}${folder}`,
    break: () => fill(filler),
    afterPowerCut: () => {
      run(POWER_CUT)
      return `${root}${folder}.cut`
    },
    repair: () => {
      rmSync(filler)
      run(REPAIR)
    },
    close: async () => {
      holder.kill('SIGKILL')
      await once(holder, 'close')
      for (const made of [`${folder}.disk`, `${folder}.cut`]) {
        rmSync(made, { recursive: true, force: true })
      }
    },
  }
}

async function isReady(holder: ChildProcess): Promise<void> {
  const ended = once(holder, 'exit').then(() => {
    throw new Error('the disk cannot be made')
  })
  if (holder.stdout) await Promise.race([once(holder.stdout, 'data'), ended])
  ended.catch(() => undefined)
}

function fill(filler: string): void {
  try {
    for (;;) writeFileSync(filler, Buffer.alloc(64 * 1024), { flag: 'a' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
