import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { makePackageFile, mergePackageFile, SERVER_PACKAGE } from '@quire/create/package-file'
import { planProject, type ProjectFile } from '@quire/create/plan-project'
import { nameOfFolder, type ProjectOptions } from '@quire/create/project-options'
import { writeMissing } from '@quire/create/write-missing'
import { readVersion } from '../base/config/version.ts'
import { checkProject, type ProjectCheck } from './project/check-project.ts'
import { formatProjectCheck } from './project/check-project-command.ts'
import type { Command } from './command.ts'

export const INIT_COMMAND: Command = {
  usage: 'init [folder] [--javascript]',
  summary: 'add Quire to a folder: writes the files of a project that it lacks',
  help: `  adds Quire to a folder, such as a Strapi project: writes the files of a project that it lacks, and
  changes no file except package.json, to which it adds scripts and a dependency; reports as
  check-project which parts of a Strapi project Quire can serve`,
  options: { javascript: { type: 'boolean' } },
  words: { min: 0, max: 1 },
  needs: 'nothing',
  run: async (_, words, options) => {
    const data = await initProject(resolve(words[0] ?? '.'), {
      javascript: options['javascript'] === true,
    })
    return { data, text: formatInit(data), failed: (data.check?.faults.length ?? 0) > 0 }
  },
}

export interface InitReport {
  readonly written: readonly string[]
  readonly kept: readonly string[]
  readonly scripts: readonly string[]
  readonly addsDependency: boolean
  readonly check: ProjectCheck | null
}

/** Content-types of Strapi are in `src/api`, and in `src/components`. */
const STRAPI_TYPES = 'src/api'
const CONFIGURATIONS = ['ts', 'mts', 'js', 'mjs'].map((ending) => `quire.config.${ending}`)

export async function initProject(
  folder: string,
  { javascript = false }: { readonly javascript?: boolean } = {},
): Promise<InitReport> {
  await mkdir(folder, { recursive: true })
  const isStrapi = existsSync(join(folder, STRAPI_TYPES))
  const hasTypes = isStrapi || existsSync(join(folder, 'content-types'))
  const options: ProjectOptions = {
    name: nameOfFolder(basename(folder)),
    sample: true,
    language: javascript ? 'javascript' : 'typescript',
    version: readVersion(),
    platform: process.platform,
  }
  const planned = (await planProject(options))
    .filter(({ path }) => !(hasTypes && OF_SAMPLE.test(path)))
    .filter((file) => suits(file, folder, isStrapi))
  const { written, kept } = await writeMissing(folder, isStrapi ? planned.map(forStrapi) : planned)
  const hasPackageFile = kept.includes('package.json')
  const merged = hasPackageFile ? await mergeInto(folder, options, !hasTypes) : NOTHING_ADDED
  return {
    written,
    kept: kept.filter((path) => path !== 'package.json' || isUnchanged(merged)),
    ...merged,
    check: isStrapi ? await checkProject(folder) : null,
  }
}

type Added = Pick<InitReport, 'scripts' | 'addsDependency'>

const NOTHING_ADDED: Added = { scripts: [], addsDependency: false }

function isUnchanged({ scripts, addsDependency }: Added): boolean {
  return scripts.length === 0 && !addsDependency
}

/** The sample, and the test of its content-type. */
const OF_SAMPLE = /^(?:content-types|content|test)\//
/** A Strapi project has these, or they would not fit it. */
const NOT_FOR_STRAPI = /^(?:Dockerfile|compose\.yaml|README\.md)$/

function suits({ path }: ProjectFile, folder: string, isStrapi: boolean): boolean {
  if (path.startsWith('quire.config.')) {
    return !CONFIGURATIONS.some((name) => name !== path && existsSync(join(folder, name)))
  }
  return !(isStrapi && NOT_FOR_STRAPI.test(path))
}

/** The folder itself contains the content-types. Extensions of Strapi are in `src/extensions`. */
function forStrapi({ path, content }: ProjectFile): ProjectFile {
  if (!path.startsWith('quire.config.') || typeof content !== 'string') return { path, content }
  const setting =
    "  // Reads src/api, src/components and src/extensions.\n  contentTypesDir: '.',\n"
  return { path, content: content.replace('defineConfig({\n', `defineConfig({\n${setting}`) }
}

async function mergeInto(
  folder: string,
  options: ProjectOptions,
  hasTest: boolean,
): Promise<Added> {
  const path = join(folder, 'package.json')
  const file = makePackageFile(options)
  const { test = '', ...others } = file.scripts
  const scripts = hasTest ? { ...others, test } : others
  const merged = mergePackageFile(await readFile(path, 'utf8'), { ...file, scripts })
  if (merged === null) return NOTHING_ADDED
  const { text, ...added } = merged
  await writeFile(path, text)
  return added
}

function formatInit({ written, kept, scripts, addsDependency, check }: InitReport): string {
  return [
    ...listed('Written:', written),
    ...listed('Unchanged, because they exist:', kept),
    ...listed('Scripts added to package.json:', scripts),
    ...(addsDependency ? [`Dependency added to package.json: ${SERVER_PACKAGE}`, ''] : []),
    ...(check === null ? [] : [formatProjectCheck(check), '']),
    'Next: npm install, then npx quire dev',
  ].join('\n')
}

function listed(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`), '']
}
