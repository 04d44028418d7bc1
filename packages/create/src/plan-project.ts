import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makePackageFile } from './package-file.ts'
import type { ProjectOptions } from './project-options.ts'

export interface ProjectFile {
  /** Relative to the folder of the project, with slashes. */
  readonly path: string
  readonly content: string | Buffer
}

const TEMPLATE = fileURLToPath(new URL('../../template/', import.meta.url))
const TEXT = /\.(?:json|tmpl|md|yaml)$|\/_|Dockerfile$/
const OF_SAMPLE = /^(?:content|content-types)\/|^test\/api\./
const OF_EMPTY = /^test\/empty\./

/** Returns the files of a new project, in the order of their paths. */
export async function planProject(options: ProjectOptions): Promise<readonly ProjectFile[]> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(TEMPLATE, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => isWanted(name, options))
  const files = await Promise.all(
    names.map(async (name): Promise<ProjectFile> => {
      const bytes = await readFile(join(TEMPLATE, name))
      const content = TEXT.test(`/${name}`) ? fill(bytes.toString('utf8'), options) : bytes
      return { path: targetOf(name, options), content }
    }),
  )
  const folders = options.sample ? [] : ['content', 'content-types']
  const added = [
    { path: 'package.json', content: `${JSON.stringify(makePackageFile(options), null, 2)}\n` },
    ...folders.map((folder) => ({ path: `${folder}/.gitkeep`, content: '' })),
  ]
  return [...files, ...added].sort((one, other) => (one.path < other.path ? -1 : 1))
}

function isWanted(name: string, { sample, language }: ProjectOptions): boolean {
  if (name === '_tsconfig.json') return language === 'typescript'
  return !(sample ? OF_EMPTY : OF_SAMPLE).test(name)
}

/**
 * npm omits or renames some files with a leading dot, so templates begin with `_`. Code ends with
 * `.tmpl`, because it belongs to no package before its marks are replaced.
 */
function targetOf(template: string, { language }: ProjectOptions): string {
  const name = template.replace(/\.tmpl$/, '')
  const plain = name === '_tsconfig.json' ? 'tsconfig.json' : name.replace(/^_/, '.')
  return language === 'typescript' ? plain : plain.replace(/\.ts$/, '.js')
}

/** The templates have no other types than these, so JavaScript is TypeScript without them. */
function fill(text: string, { name, language }: ProjectOptions): string {
  const filled = text
    .replaceAll('{{name}}', name)
    .replaceAll('{{database}}', name.replaceAll(/[^a-z0-9_-]+/g, '-').replace(/^-/, ''))
    .replaceAll('{{ext}}', language === 'typescript' ? 'ts' : 'js')
  return language === 'typescript'
    ? filled
    : filled
        .replaceAll(', type TestServer', '')
        .replaceAll(': TestServer', '')
        .replaceAll("project.ts'", "project.js'")
}
