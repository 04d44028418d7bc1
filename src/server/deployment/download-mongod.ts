import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DryMongoBinary } from 'mongodb-memory-server'
import { MongoBinaryDownloadUrl } from 'mongodb-memory-server/lib/util/MongoBinaryDownloadUrl.js'
import type { Environment } from '../../base/config/config.ts'
import type { DeploymentLog } from './deployment.ts'
import type { DownloadOutcome } from './download-mongod-process.ts'
import type { FoundMongod, Sought } from './find-mongod.ts'
import { probeDownload } from './probe-download.ts'

export interface DownloadLimits {
  readonly probeMs: number
  /** Timeout without progress. */
  readonly stallMs: number
  readonly totalMs: number
}

export const DOWNLOAD_LIMITS: DownloadLimits = {
  probeMs: 1200,
  stallMs: 15_000,
  totalMs: 900_000,
}

const LOOK_MS = 500
const REPORT_MS = 3000

/** If the host is unreachable, returns the reason within `probeMs`. */
export async function downloadMongod(
  env: Environment,
  log: DeploymentLog,
  limits: DownloadLimits = DOWNLOAD_LIMITS,
): Promise<Sought<FoundMongod>> {
  if (/^(0|off|no|false)$/i.test(env['MONGOMS_RUNTIME_DOWNLOAD'] ?? '')) {
    return { unavailable: 'MONGOMS_RUNTIME_DOWNLOAD forbids to download one' }
  }
  const options = await DryMongoBinary.generateOptions({})
  const url = await new MongoBinaryDownloadUrl(options).getDownloadUrl()
  const probed = await probeDownload({ url, deadlineMs: limits.probeMs, env })
  if ('unavailable' in probed) return probed
  log.info(`downloading mongod ${options.version} from ${new URL(url).host} (once)`)
  const report = (bytes: number): void => {
    const of = probed.bytes === null ? '' : ` of ${toMegabytes(probed.bytes)}`
    log.info(`downloading mongod ${options.version}: ${toMegabytes(bytes)}${of} MB`)
  }
  return runDownload({ env, folder: options.downloadDir, limits, report })
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0)
}

interface Download {
  readonly env: Environment
  readonly folder: string
  readonly limits: DownloadLimits
  readonly report: (bytes: number) => void
}

async function runDownload(download: Download): Promise<Sought<FoundMongod>> {
  // mongodb-memory-server 11 verifies certificates only with this npm setting.
  const strict = { npm_config_strict_ssl: download.env['npm_config_strict_ssl'] ?? 'true' }
  const script = fileURLToPath(new URL('download-mongod-process.js', import.meta.url))
  const child = fork(script, [], {
    env: { ...download.env, ...strict },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const done = new AbortController()
  try {
    return await Promise.race([outcome(child), watch(download, done.signal)])
  } finally {
    done.abort()
    child.kill('SIGKILL')
  }
}

async function outcome(child: ChildProcess): Promise<Sought<FoundMongod>> {
  const ended = once(child, 'close').then(() => [{ why: 'it ended early' }])
  const [told] = (await Promise.race([once(child, 'message'), ended])) as [DownloadOutcome]
  return 'path' in told
    ? { path: told.path, place: 'downloaded now' }
    : { unavailable: `the download failed: ${told.why.replaceAll(/\s+/g, ' ')}` }
}

// Measures progress by the size of the folder, which also covers the unpacked file and the download of another process.
async function watch(
  { folder, limits, report }: Download,
  signal: AbortSignal,
): Promise<Sought<never>> {
  const began = performance.now()
  const before = await sizeOf(folder)
  let [seen, seenAt, reportedAt] = [before, began, began]
  while (
    performance.now() - seenAt < limits.stallMs &&
    performance.now() - began < limits.totalMs
  ) {
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) break
    const size = await sizeOf(folder)
    if (size !== seen) [seen, seenAt] = [size, performance.now()]
    if (performance.now() - reportedAt < REPORT_MS) continue
    report(Math.max(0, size - before))
    reportedAt = performance.now()
  }
  const stalled = performance.now() - seenAt >= limits.stallMs
  const why = stalled ? `made no progress for ${limits.stallMs / 1000} s` : 'took too long'
  return { unavailable: `the download ${why}` }
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
