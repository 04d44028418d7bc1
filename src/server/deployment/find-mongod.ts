import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { DryMongoBinary } from 'mongodb-memory-server'
import type { Environment } from '../../base/config/config.ts'

export interface FoundMongod {
  readonly path: string
  /** Completes a sentence, as in "mongod on the PATH". */
  readonly place: string
}

export type Sought<T> = T | { readonly unavailable: string }

const VERSION_MS = 3000
/** Oldest accepted version, as in `judgeServer`: 5.0, and its development series 4.9. */
const OLDEST = { major: 4, minor: 9, name: '5.0' } as const

export interface NoMongod {
  readonly skipped: readonly string[]
}

export async function findMongod(env: Environment): Promise<Sought<FoundMongod> | NoMongod> {
  const named = env['MONGOMS_SYSTEM_BINARY']
  if (named !== undefined && named !== '') {
    return (await isExecutable(named))
      ? { path: named, place: 'of MONGOMS_SYSTEM_BINARY' }
      : { unavailable: `MONGOMS_SYSTEM_BINARY names ${named}, which cannot be executed` }
  }
  const skipped: string[] = []
  for await (const found of candidates(env['PATH'] ?? '')) {
    const asked = await versionOf(found.path)
    if (!('unavailable' in asked)) return found
    skipped.push(asked.unavailable)
  }
  return { skipped }
}

async function* candidates(path: string): AsyncGenerator<FoundMongod> {
  const name = process.platform === 'win32' ? 'mongod.exe' : 'mongod'
  for (const folder of path.split(delimiter).filter((part) => part !== '')) {
    const candidate = join(folder, name)
    if (await isExecutable(candidate)) yield { path: candidate, place: 'on the PATH' }
  }
  const cached = await DryMongoBinary.locateBinary(DryMongoBinary.getEnsuredOptions({}))
  if (cached !== undefined) yield { path: cached, place: 'downloaded before' }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** Also detects binaries that hang, lack a library or have the wrong architecture. */
export async function versionOf(path: string): Promise<Sought<{ readonly version: string }>> {
  const asked = await promisify(execFile)(path, ['--version'], {
    timeout: VERSION_MS,
    killSignal: 'SIGKILL',
  }).catch((error: unknown) => ({ error }))
  if ('error' in asked) return { unavailable: `${path} ${whyNot(asked.error)}` }
  const [version, major, minor] = /v(\d+)\.(\d+)\.\d+/.exec(asked.stdout) ?? []
  if (version === undefined) return { unavailable: `${path} --version does not name a version` }
  const old =
    Number(major) < OLDEST.major || (Number(major) === OLDEST.major && Number(minor) < OLDEST.minor)
  return old
    ? { unavailable: `${path} is ${version}, older than ${OLDEST.name}` }
    : { version: version.slice(1) }
}

function whyNot(error: unknown): string {
  const failure = error as { killed?: boolean; code?: unknown; stderr?: string; message: string }
  if (failure.killed === true) return `did not report its version within ${VERSION_MS / 1000} s`
  const said = failure.stderr?.trim().split('\n').at(-1)
  return said === undefined || said === ''
    ? `cannot be run (${String(failure.code)})`
    : `cannot be run: ${said}`
}
