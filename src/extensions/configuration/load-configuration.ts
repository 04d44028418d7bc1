import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { FileSettings } from '../../base/config/config.ts'
import { memberOf, readMembers } from '../../base/config/members.ts'
import { readStudioSettings, type StudioBranding } from '../../base/config/studio-settings.ts'
import { ConfigError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import type { Extension } from '../extension.ts'
import { findBuilt } from './build-configuration.ts'
import { bundleConfiguration, shownPath } from './bundle-configuration.ts'
import { findConfigurationFile, type ConfigurationFile } from './find-configuration-file.ts'
import { locateMember } from './locate-member.ts'
import { readStudioImages } from './read-studio-images.ts'

export interface Configuration {
  readonly file: string | null
  readonly settings: FileSettings
  /** Unchecked: `registerExtensions` compares them with the content-types. */
  readonly extensions: readonly Extension[]
  /** Null without the member `studio`. */
  readonly studio: StudioBranding | null
}

export interface LoadOptions {
  /** Compiles TypeScript. Without it, TypeScript must have been built. */
  readonly compile: boolean
}

const NO_CONFIGURATION: Configuration = Object.freeze({
  file: null,
  settings: { values: {}, label: (variable: string) => variable },
  extensions: [],
  studio: null,
})

/** @throws ConfigError with all faults, each with file and line */
export async function loadConfiguration(
  folder: string,
  { compile }: LoadOptions,
): Promise<Configuration> {
  const file = findConfigurationFile(folder)
  const built = compile ? null : await findBuilt(folder, file)
  if (built !== null)
    return readConfiguration(folder, file?.path ?? built, await importModule(folder, built))
  if (file === null) return NO_CONFIGURATION
  const loaded =
    file.language === 'typescript'
      ? await importCompiled(folder, file)
      : await importJavaScript(folder, file)
  return readConfiguration(folder, file.path, loaded)
}

/** Node does not report the line of an error of syntax. */
async function importJavaScript(folder: string, file: ConfigurationFile): Promise<unknown> {
  try {
    return await importModule(folder, file.path)
  } catch (error) {
    if (error instanceof Error && error.cause instanceof SyntaxError) {
      await bundleConfiguration(folder, file)
    }
    throw error
  }
}

/** The bundle must be inside the folder, so that Node finds the packages of the project. */
async function importCompiled(folder: string, file: ConfigurationFile): Promise<unknown> {
  const text = await bundleConfiguration(folder, file)
  const path = join(folder, 'node_modules', '.cache', 'quire', `${randomUUID()}.mjs`)
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(
      path,
      text.replace(SOURCE_MAP, (_, map: string) => moveSources(map, folder)),
    )
    return await importModule(folder, path)
  } finally {
    await rm(path, { force: true })
  }
}

const SOURCE_MAP = /^\/\/# sourceMappingURL=data:application\/json;base64,(\S+)$/m

function moveSources(base64: string, folder: string): string {
  const map: unknown = JSON.parse(Buffer.from(base64, 'base64').toString('utf8'))
  const moved = {
    ...(isRecord(map) ? map : {}),
    sourceRoot: `${pathToFileURL(join(folder, 'dist')).href}/`,
  }
  const text = Buffer.from(JSON.stringify(moved)).toString('base64')
  return `//# sourceMappingURL=data:application/json;base64,${text}`
}

async function importModule(folder: string, path: string): Promise<unknown> {
  process.setSourceMapsEnabled(true)
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    throw new ConfigError([describeThrown(folder, path, error)], { cause: error })
  }
}

function describeThrown(folder: string, path: string, error: unknown): string {
  if (!(error instanceof Error)) return `${shownPath(folder, path)}: threw ${String(error)}`
  const place = placeOf(folder, error.stack ?? '') ?? shownPath(folder, path)
  return `${place}: ${error.message}`
}

const FRAME = /(file:\/\/\/[^\s()]+?|\/[^\s():]+|[A-Z]:\\[^\s():]+):(\d+)/g

/** The first place in the stack that belongs to the project itself. */
function placeOf(folder: string, stack: string): string | null {
  for (const [, file = '', line = ''] of stack.matchAll(FRAME)) {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    const shown = shownPath(folder, path)
    if (!shown.startsWith('..') && !shown.includes('node_modules/')) return `${shown}:${line}`
  }
  return null
}

async function readConfiguration(
  folder: string,
  path: string,
  loaded: unknown,
): Promise<Configuration> {
  const name = shownPath(folder, path)
  const config = defaultExportOf(loaded)
  if (!isRecord(config)) {
    throw new ConfigError([`${name}:1: its default export must be defineConfig({ … })`])
  }
  const source = readFileSync(path, 'utf8')
  const lineOf = (member: readonly string[]): string =>
    `${name}:${locateMember(source, member)}: ${shownMember(member)}`
  const { extensions = [], studio, ...members } = config
  const { values, faults } = readMembers(members, OTHER_MEMBERS)
  const settings = readStudioSettings(studio)
  const { branding, faults: imageFaults } = await readStudioImages(folder, settings)
  const all = [...faults, ...settings.faults, ...imageFaults]
  if (!isList(extensions)) {
    all.push({ path: ['extensions'], message: 'must be a list of extensions' })
  }
  if (all.length > 0 || !isList(extensions)) {
    throw new ConfigError(all.map(({ path: at, message }) => `${lineOf(at)}: ${message}`))
  }
  return {
    file: name,
    settings: { values, label: (variable) => lineOf(memberOf(variable).split('.')) },
    extensions,
    studio: isRecord(studio) ? branding : null,
  }
}

/** `studio.links[0].url` */
function shownMember(member: readonly string[]): string {
  return member.join('.').replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
}

/** Members that do not stand for variables. */
const OTHER_MEMBERS = ['extensions', 'studio']

/** The types are checked with the content-types. */
function isList(given: unknown): given is readonly Extension[] {
  return Array.isArray(given)
}

function defaultExportOf(loaded: unknown): unknown {
  return isRecord(loaded) ? loaded['default'] : undefined
}
