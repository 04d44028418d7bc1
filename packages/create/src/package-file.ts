import type { ProjectOptions } from './project-options.ts'

/** The scope of all packages is the scope of this one. */
export const SERVER_PACKAGE = '@quire/server'

export interface PackageFile {
  readonly name: string
  readonly version: string
  readonly private: true
  readonly type: 'module'
  readonly engines: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

export function makePackageFile(options: ProjectOptions): PackageFile {
  return {
    name: options.name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: scriptsOf(options),
    dependencies: { [SERVER_PACKAGE]: `^${options.version}` },
  }
}

/** `exec` replaces the shell, so that a SIGTERM to npm reaches the server. The shell of Windows lacks it. */
function scriptsOf({ language, platform }: ProjectOptions): Readonly<Record<string, string>> {
  const exec = platform === 'win32' ? '' : 'exec '
  const test =
    language === 'typescript'
      ? `node --import ${SERVER_PACKAGE}/register --test test/*.test.ts`
      : 'node --test test/*.test.js'
  return {
    dev: `${exec}quire dev`,
    build: `${exec}quire build`,
    start: `${exec}quire start`,
    seed: `${exec}quire seed`,
    test: `${exec}${test}`,
  }
}

/** An existing package.json with the scripts and the dependency of a project. */
export interface MergedPackageFile {
  readonly text: string
  /** Names of added scripts. A script of the same name gets the prefix `quire:`. */
  readonly scripts: readonly string[]
  readonly addsDependency: boolean
}

/** Adds the missing scripts and the dependency to an existing package.json. Null if the file is complete. */
export function mergePackageFile(
  text: string,
  { scripts, dependencies }: PackageFile,
): MergedPackageFile | null {
  const file = JSON.parse(text) as Record<string, unknown>
  const known = recordOf(file['scripts'])
  const all = { ...recordOf(file['devDependencies']), ...recordOf(file['dependencies']) }
  const missing = Object.entries(scripts).flatMap(([name, script]): [string, string][] => {
    if (known[name] === script || known[`quire:${name}`] === script) return []
    return [[name in known ? `quire:${name}` : name, script]]
  })
  const addsDependency = !Object.hasOwn(all, SERVER_PACKAGE)
  if (missing.length === 0 && !addsDependency) return null
  const merged = {
    ...file,
    scripts: { ...known, ...Object.fromEntries(missing) },
    ...(addsDependency
      ? { dependencies: { ...recordOf(file['dependencies']), ...dependencies } }
      : {}),
  }
  return {
    text: `${JSON.stringify(merged, null, 2)}\n`,
    scripts: missing.map(([name]) => name),
    addsDependency,
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
