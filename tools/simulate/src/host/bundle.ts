import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import vm from 'node:vm'
import { rolldown } from 'rolldown'

/** The folder of the repository, from `dist/tools/simulate/src/host`. */
export const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))

/** Replaces text of a source file, to bring back a fault. */
export interface Mutation {
  /** Relative to the repository. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** Each call creates all modules of the program again, as a new process would. */
export type Program = (replaced: Readonly<Record<string, object>>) => object

/** Packages of this repository whose modules hold state, and small packages with a state of their own. */
const OWN: Readonly<Record<string, string>> = {
  '@quire/engine/run-engine': 'packages/engine/src/run-engine.ts',
  '@quire/engine/filter': 'packages/engine/src/filter/selection.ts',
  '@quire/client/sync': 'packages/client/src/sync/sync.ts',
  '@quire/client': 'packages/client/src/index.ts',
}
const BUNDLED: ReadonlySet<string> = new Set(['nanoid'])

/**
 * Bundles a program from its TypeScript sources into one script. Running the script takes some
 * milliseconds and creates all modules of this repository again; npm packages are shared.
 * @throws Error if a mutation does not match exactly once in its file
 */
export async function bundleProgram(
  entry: string,
  mutations: ReadonlyMap<Mutation, () => void> = new Map(),
): Promise<Program> {
  const build = await rolldown({
    input: path.join(ROOT, entry),
    platform: 'node',
    external: (id) => isExternal(id),
    logLevel: 'silent',
    plugins: [
      {
        name: 'simulate',
        resolveId: (id) => {
          const own = OWN[id]
          return own === undefined ? null : path.join(ROOT, own)
        },
        transform: (code, id) => {
          const relative = path.relative(ROOT, id)
          let changed = code
          for (const [mutation, applied] of mutations) {
            if (mutation.file !== relative) continue
            changed = mutate(changed, mutation)
            applied()
          }
          return { code: locate(changed, relative) }
        },
      },
    ],
  })
  const { output } = await build.generate({ format: 'cjs', exports: 'named', codeSplitting: false })
  await build.close()
  return toProgram(entry, output[0].code)
}

function isExternal(id: string): boolean {
  return !/^[./]/.test(id) && !id.startsWith('@quire/') && !BUNDLED.has(id)
}

function mutate(code: string, { file, from, to }: Mutation): string {
  if (code.split(from).length !== 2) throw new Error(`${file} must contain ${from} once`)
  return code.replace(from, () => to)
}

/** Modules find their files relative to the compiled module. */
function locate(code: string, relative: string): string {
  const compiled = path.join(ROOT, 'dist', relative.replace(/\.ts$/, '.js'))
  return code.replaceAll('import.meta.url', JSON.stringify(`file://${compiled}`))
}

function toProgram(entry: string, code: string): Program {
  const script = new vm.Script(
    `(function (exports, require, module, __filename, __dirname) {${code}\n})`,
    { filename: entry, importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  )
  const real = createRequire(path.join(ROOT, 'package.json'))
  return (replaced) => {
    const require = (id: string): unknown => replaced[id.replace(/^node:/, '')] ?? real(id)
    const module = { exports: {} }
    const run: unknown = script.runInThisContext()
    if (typeof run !== 'function') throw new Error(`${entry} is no script`)
    Reflect.apply(run, undefined, [module.exports, require, module, entry, ROOT])
    return module.exports
  }
}
