// Hooks of Node that compile TypeScript modules outside of node_modules, see `register.ts`.
// https://nodejs.org/docs/latest-v20.x/api/module.html#hooks
import { readFile } from 'node:fs/promises'
import type { LoadHook, ResolveHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'

const TYPESCRIPT = /^file:(?!.*\/node_modules\/).*\.m?ts$/

/** TypeScript may name the compiled file of a module: `./prices.js` for `./prices.ts`. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  try {
    return await next(specifier, context)
  } catch (error) {
    const isRelative = /^\.{1,2}\/.*\.m?js$/.test(specifier)
    if (!isRelative || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    return next(specifier.replace(/js$/, 'ts'), context)
  }
}

export const load: LoadHook = async (url, context, next) => {
  if (!TYPESCRIPT.test(url)) return next(url, context)
  const path = fileURLToPath(url)
  const { code } = await transform(await readFile(path, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcefile: path,
    sourcemap: 'inline',
    sourcesContent: false,
  })
  return { format: 'module', source: code, shortCircuit: true }
}
