import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../support/until.ts'
import { ROOT } from '../../support/pages.ts'

const MAX_WAIT_MS = 60_000

/** A registry of npm packages on loopback for `@quire`. Other packages come from the configured registry. */
export interface Registry {
  readonly url: string
  /** For npm: the registries, and a copy of its cache. */
  readonly env: Readonly<Record<string, string | undefined>>
  close(): void
}

/** @param verdaccio the program of verdaccio */
async function startRegistry(verdaccio: string, folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const upstream = npm(['config', 'get', 'registry'], ROOT, process.env).trim()
  writeFileSync(join(folder, 'config.yaml'), configFor(folder))
  const listen = ['--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${port}`]
  const server = spawn(process.execPath, [verdaccio, ...listen], { stdio: 'pipe' })
  let log = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000)
    })
  }
  await until(
    () => /http address/.test(log) || hasEnded(server),
    MAX_WAIT_MS,
    () => log,
  )
  const userconfig = join(folder, 'npmrc')
  writeFileSync(
    userconfig,
    `registry=${upstream}\n@quire:registry=${url}\n//127.0.0.1:${port}/:_authToken=anybody\n`,
  )
  copyCache(join(folder, 'cache'))
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    npm_config_userconfig: userconfig,
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
  }
  return { url, env, close: () => server.kill('SIGKILL') }
}

/**
 * Copies npm's cache, so that the install step of CI has already downloaded most packages. Contents are linked because
 * npm never changes them. npm appends to its index, which is therefore copied.
 */
function copyCache(folder: string): void {
  const cache = npm(['config', 'get', 'cache'], ROOT, process.env).trim()
  for (const [name, ...options] of [
    ['content-v2', '-al'],
    ['index-v5', '-a'],
  ] as const) {
    const from = join(cache, '_cacache', name)
    const to = join(folder, '_cacache')
    mkdirSync(to, { recursive: true })
    if (!existsSync(from) || spawnSync('cp', [...options, from, to]).status === 0) continue
    cpSync(from, join(to, name), { recursive: true })
  }
}

let shared: Promise<SharedRegistry> | null = null

export interface SharedRegistry extends Registry {
  /** An empty folder outside of the repository. */
  readonly folder: string
  /** The names of the published files. */
  readonly packed: readonly string[]
}

/** The registry of this process, with all packages. Ends with the process. */
export function sharedRegistry(verdaccio: string): Promise<SharedRegistry> {
  shared ??= openShared(verdaccio)
  return shared
}

async function openShared(verdaccio: string): Promise<SharedRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-registry-'))
  const registry = await startRegistry(verdaccio, join(folder, 'registry'))
  process.once('exit', () => {
    registry.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { ...registry, folder, packed: publishPackages(registry, join(folder, 'packed')) }
}

/** Packs all packages of the repository that are not private, and publishes the files. */
function publishPackages(registry: Registry, folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true })
  const folders = [
    ROOT,
    ...readdirSync(join(ROOT, 'packages')).map((name) => join(ROOT, 'packages', name)),
  ].filter((path) => readManifest(path).private !== true)
  for (const path of folders) {
    npm(['pack', '--silent', '--pack-destination', folder], path, process.env)
  }
  const files = readdirSync(folder)
  for (const file of files)
    npm(['publish', join(folder, file), '--access', 'public'], folder, registry.env)
  return files
}

function readManifest(folder: string): { readonly private?: boolean } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly private?: boolean
  }
}

/** Runs npm to its end. @throws Error with its output unless it succeeds */
export function npm(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { status, stdout, stderr } = spawnSync('npm', [...args], { cwd, env, encoding: 'utf8' })
  if (status !== 0)
    throw new Error(`npm ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout + stderr
}

function hasEnded({ exitCode }: ChildProcess): boolean {
  return exitCode !== null
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

function configFor(folder: string): string {
  return `storage: ${folder}/storage
packages:
  '@quire/*':
    access: $all
    publish: $all
web:
  enable: false
max_body_size: 50mb
server:
  keepAliveTimeout: 60
log: { type: stdout, format: pretty, level: http }
`
}
