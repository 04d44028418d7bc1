import { mkdir, realpath } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Environment } from '../../base/config/config.ts'
import type { DeploymentLog } from './deployment.ts'
import { DOWNLOAD_LIMITS, downloadMongod } from './download-mongod.ts'
import type { DownloadLimits } from './download-mongod.ts'
import { findMongod, versionOf } from './find-mongod.ts'
import type { FoundMongod, Sought } from './find-mongod.ts'
import { freePort, launchMongod } from './launch-mongod.ts'
import { endOrphan, holderOf, readState, writeState } from './mongod-folder.ts'
import { isProcessAlive } from './process-alive.ts'
import type { MongodState } from './mongod-folder.ts'
import { becomePrimary, servesFolder, uriOf } from './replica-set.ts'

export interface MongodOptions {
  readonly directory: string
  readonly env: Environment
  readonly log: DeploymentLog
  readonly limits?: MongodLimits
}

export interface MongodLimits {
  readonly launchMs: number
  /** For a start on existing data, which may need recovery. */
  readonly recoveryMs: number
  readonly primaryMs: number
  /** For a mongod that another process is starting on the same folder. */
  readonly shareMs: number
  readonly download: DownloadLimits
}

const LIMITS: MongodLimits = {
  launchMs: 10_000,
  recoveryMs: 60_000,
  primaryMs: 30_000,
  shareMs: 15_000,
  download: DOWNLOAD_LIMITS,
}

export interface RunningMongod {
  readonly uri: string
  /** For messages, as in "mongod 8.2.6 on the PATH". */
  readonly what: string
  /** Stops the mongod if this process started it. */
  close(): Promise<void>
}

/** Failures are returned with their reason, because the caller then uses the embedded engine. */
export async function startMongod(options: MongodOptions): Promise<Sought<RunningMongod>> {
  try {
    await mkdir(options.directory, { recursive: true })
    const directory = await realpath(options.directory)
    return await startOn({ limits: LIMITS, ...options, directory })
  } catch (error) {
    return { unavailable: `mongod cannot be started: ${firstLine(error)}` }
  }
}

type Start = Required<MongodOptions>

async function startOn(start: Start): Promise<Sought<RunningMongod>> {
  const state = await readState(start.directory)
  const shared = await joinOwner(start.directory, state)
  if (shared !== null) return shared
  const orphan = await holderOf(start.directory)
  if (orphan !== null) {
    start.log.info(
      `ending the mongod of an earlier run (process ${orphan}) that still holds the data`,
    )
    if (!(await endOrphan(orphan))) {
      return { unavailable: `process ${orphan} holds ${start.directory} and does not end` }
    }
  }
  const found = await obtain(start)
  if ('unavailable' in found) return found
  const asked = await versionOf(found.path)
  if ('unavailable' in asked) return asked
  const what = `mongod ${asked.version} ${found.place}`
  return runOrJoin(start, state, { binary: found.path, version: asked.version, what })
}

async function obtain({ env, log, limits }: Start): Promise<Sought<FoundMongod>> {
  const found = await findMongod(env)
  if (!('skipped' in found)) return found
  const downloaded = await downloadMongod(env, log, limits.download)
  if (!('unavailable' in downloaded)) return downloaded
  const [why = 'there is no mongod on this machine'] = found.skipped
  return { unavailable: `${why}, and ${downloaded.unavailable}` }
}

interface Binary {
  readonly binary: string
  readonly version: string
  readonly what: string
}

// Two processes can get here at once, but mongod locks its folder.
async function runOrJoin(
  start: Start,
  state: MongodState | null,
  binary: Binary,
): Promise<Sought<RunningMongod>> {
  try {
    return await run(start, state, binary)
  } catch (error) {
    const shared = await awaitOwner(start)
    return shared ?? { unavailable: `${binary.what} does not start: ${firstLine(error)}` }
  }
}

async function run(
  { directory, log, limits }: Start,
  state: MongodState | null,
  { binary, version, what }: Binary,
): Promise<RunningMongod> {
  const port = await freePort(state?.port)
  const deadlineMs = state === null ? limits.launchMs : limits.recoveryMs
  const onLost = (): void => {
    log.error(`${what} exited unexpectedly; a restart uses its data in ${directory} again`)
  }
  const mongod = await launchMongod({ binary, directory, port, deadlineMs, onLost })
  try {
    await becomePrimary(port, limits.primaryMs)
    await writeState(directory, { port, ownerPid: process.pid, version })
  } catch (error) {
    await mongod.stop()
    throw error
  }
  return { uri: uriOf(port), what, close: () => mongod.stop() }
}

async function joinOwner(
  directory: string,
  state: MongodState | null,
): Promise<RunningMongod | null> {
  if (state === null || !isProcessAlive(state.ownerPid)) return null
  if (!(await servesFolder(state.port, directory))) return null
  const what = `mongod ${state.version} of process ${state.ownerPid}`
  return { uri: uriOf(state.port), what, close: () => Promise.resolve() }
}

/** Maximum time without a mongod on a shared folder, after one process has stopped the mongod of another. */
const BETWEEN_HOLDERS_MS = 2_000

async function awaitOwner({ directory, limits }: Start): Promise<RunningMongod | null> {
  const end = performance.now() + limits.shareMs
  let heldAt = performance.now()
  for (;;) {
    const now = performance.now()
    if ((await holderOf(directory)) !== null) heldAt = now
    if (now > Math.min(end, heldAt + BETWEEN_HOLDERS_MS)) return null
    const shared = await joinOwner(directory, await readState(directory))
    if (shared !== null) return shared
    await delay(100)
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n')[0] ?? text
}
