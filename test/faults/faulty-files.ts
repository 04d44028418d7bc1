import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'

/** `short`: a write stores half of its bytes and reports so, as on a disk that is nearly full. */
export type FileFault = 'EIO' | 'ENOSPC' | 'short'

/** Fails file operations of this process in one folder. */
export interface FaultyFiles {
  /** Counts operations from now on. The operation at this position fails. */
  arm(position: number, fault: FileFault): void
  disarm(): FileInjection
  restore(): void
}

export interface FileInjection {
  readonly operations: number
  /** The failed operation. */
  readonly failed: string | null
}

type Call = (...args: readonly unknown[]) => unknown
type Members = Record<string, Call>

/** Functions of `fs/promises` with one or two paths. */
const WITH_PATHS = [
  'mkdir', 'mkdtemp', 'rename', 'copyFile', 'link', 'unlink', 'rm', 'writeFile',
] as const // prettier-ignore
const OF_HANDLE = ['write', 'writev', 'writeFile', 'appendFile', 'sync', 'datasync'] as const

export function openFaultyFiles(folder: string): FaultyFiles {
  const root = path.resolve(folder)
  const isOwn = (name: unknown): boolean =>
    typeof name === 'string' && path.resolve(name).startsWith(root)
  let [operations, position, fault]: [number, number, FileFault] = [0, 0, 'EIO']
  let failed: string | null = null

  /** True if a write is to be short. @throws the fault */
  const step = (name: string, canBeShort = false): boolean => {
    operations += 1
    if (operations !== position || (fault === 'short' && !canBeShort)) return false
    failed = name
    if (fault === 'short') return true
    throw Object.assign(new Error(`${fault}: injected, ${name}`), {
      code: fault,
      errno: -1,
      syscall: name,
    })
  }

  const promises = fs.promises as unknown as Members
  const callbacks = fs as unknown as Members
  const undo = [
    ...WITH_PATHS.map((name) =>
      replace(promises, name, (real) => async (...args) => {
        if (args.slice(0, 2).some(isOwn)) step(name)
        const result = await real(...args)
        return result
      }),
    ),
    replace(promises, 'open', (real) => async (...args) => {
      if (!isOwn(args[0])) return real(...args)
      step('open')
      const handle = (await real(...args)) as Members
      for (const name of OF_HANDLE) replace(handle, name, (member) => ofHandle(member, name))
      return handle
    }),
    ...patchStreams(callbacks, isOwn, step),
  ]
  const ofHandle = (real: Call, name: string): Call => {
    return async (...args) => {
      const [text] = args
      const isShort = step(name, name === 'write') && typeof text === 'string'
      const result = await (isShort ? real(text.slice(0, text.length / 2)) : real(...args))
      return result
    }
  }
  syncBuiltinESMExports()
  return {
    arm: (at, how) => {
      ;[operations, position, fault, failed] = [0, at, how, null]
    },
    disarm: () => {
      const injection = { operations, failed }
      ;[position, failed] = [0, null]
      return injection
    },
    restore: () => {
      for (const each of undo) each()
      syncBuiltinESMExports()
    },
  }
}

/** Streams open and write files with callbacks. */
function patchStreams(
  callbacks: Members,
  isOwn: (name: unknown) => boolean,
  step: (name: string, canBeShort?: boolean) => boolean,
): readonly (() => void)[] {
  const descriptors = new Set<unknown>()
  const failing = (args: readonly unknown[], work: () => void): void => {
    try {
      work()
    } catch (error) {
      setImmediate(args.at(-1) as Call, error)
    }
  }
  return [
    replace(callbacks, 'open', (real) => (...args) => {
      if (!isOwn(args[0])) return real(...args)
      const done = args.at(-1) as Call
      return failing(args, () => {
        step('open of a stream')
        real(...args.slice(0, -1), (error: unknown, fd: unknown) => {
          descriptors.add(fd)
          done(error, fd)
        })
      })
    }),
    replace(callbacks, 'close', (real) => (...args) => {
      descriptors.delete(args[0])
      return real(...args)
    }),
    replace(callbacks, 'write', (real) => (...args) => {
      if (!descriptors.has(args[0])) return real(...args)
      return failing(args, () => {
        const isShort = step('write of a stream', true)
        const [fd, bytes, offset, length, ...rest] = args
        if (isShort) real(fd, bytes, offset, Math.ceil(Number(length) / 2), ...rest)
        else real(...args)
      })
    }),
    replace(callbacks, 'writev', (real) => (...args) => {
      if (!descriptors.has(args[0])) return real(...args)
      return failing(args, () => {
        step('write of a stream')
        real(...args)
      })
    }),
  ]
}

/** Returns a function that takes it back. */
function replace(members: Members, name: string, make: (real: Call) => Call): () => void {
  const real = members[name]
  if (real === undefined) throw new Error(`no ${name}`)
  members[name] = make(real.bind(members))
  return () => {
    members[name] = real
  }
}
