import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { writeTypeScript } from '../../src/describe/client-code/write-typescript.ts'
import { ALL_GRANTS } from '../../src/people/access/principal.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import { ROOT } from './pages.ts'

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc')
const LOCALES = { defaultCode: 'en', all: [{ code: 'en' }, { code: 'de' }], has: () => true }

const OPTIONS = {
  strict: true,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  rewriteRelativeImportExtensions: true,
}

/** In the folder of the packages, so that they resolve like in an app. */
export async function makeProgramFolder(name: string): Promise<string> {
  await mkdir(path.join(ROOT, 'dist'), { recursive: true })
  return mkdtemp(path.join(ROOT, `dist/${name}-`))
}

/**
 * Compiles the TypeScript examples of a page against the types of a client, in `./content.ts`. Returns their URLs.
 * @throws Error if an example does not compile
 */
export async function compilePrograms(
  folder: string,
  contentTypes: string,
  blocks: readonly string[],
): Promise<readonly string[]> {
  const schema = await loadSchema(contentTypes)
  const content = writeTypeScript({ schema, locales: LOCALES, grants: ALL_GRANTS })
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  const config = { compilerOptions: OPTIONS, include: ['*.ts'] }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(path.join(folder, 'content.ts'), content)
  for (const [index, block] of blocks.entries()) {
    await writeFile(path.join(folder, `example-${index}.ts`), block)
  }
  await promisify(execFile)(process.execPath, [TSC, '-p', folder])
  return blocks.map((_, index) => pathToFileURL(path.join(folder, `example-${index}.js`)).href)
}
